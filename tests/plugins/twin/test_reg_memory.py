# Licensed under the Apache License, Version 2.0.
"""Register loads, stores, masks, rearrangement and casts against NumPy: spec ascendc_vector.md 12.3 to 12.9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.plugins.twin.small_floats import MODES, Array, encode, from_bfloat16, pack, to_bfloat16, values
from tests.plugins.twin.vector_machine import KernelFaultError, KernelLibrary, compile_kernels, compiler_message

UNSIGNED: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
NAMES = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}
# Mode, width of its elements, and what it makes of memory.
LOADS: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "NORM": (4, lambda e: e[:64]),
    **{f"BRC_B{8 * w}": (w, lambda e: np.repeat(e[:1], 256 // e.itemsize)) for w in (1, 2, 4)},
    **{f"US_B{8 * w}": (w, lambda e: np.repeat(e[: 128 // e.itemsize], 2)) for w in (1, 2)},
    **{f"DS_B{8 * w}": (w, lambda e: e[: 512 // e.itemsize : 2]) for w in (1, 2)},
    **{f"UNPACK_B{8 * w}": (w, lambda e: _spread(e[: 128 // e.itemsize], 2)) for w in (1, 2, 4)},
    "UNPACK4_B8": (1, lambda e: _spread(e[:64], 4)),
    "BLK": (2, lambda e: np.tile(e[:16], 8)),
    "E2B_B16": (2, lambda e: np.repeat(e[:8], 16)),
    "E2B_B32": (4, lambda e: np.repeat(e[:8], 8)),
}
# Source, destination, layout, mode, count of source lanes a register.
CASTS = [
    ("half", "float", "ZERO", "UNKNOWN"),
    ("half", "float", "ONE", "UNKNOWN"),
    ("float", "half", "ONE", "CAST_RINT"),
    ("float", "half", "ZERO", "CAST_ODD"),
    ("float", "bfloat16_t", "ZERO", "CAST_RINT"),
    *[("float", "int32_t", "UNKNOWN", mode) for mode in MODES],
    *[("half", "int8_t", "ZERO", mode) for mode in MODES],
    ("half", "uint8_t", "ONE", "CAST_RINT"),
    ("half", "int32_t", "ONE", "CAST_FLOOR"),
    ("float", "int16_t", "ZERO", "CAST_ROUND"),
    ("float", "int64_t", "UNKNOWN", "CAST_TRUNC"),
    ("int64_t", "float", "UNKNOWN", "CAST_RINT"),
    ("int64_t", "int32_t", "UNKNOWN", "UNKNOWN"),
    ("int32_t", "int16_t", "ZERO", "UNKNOWN"),
    ("int32_t", "uint8_t", "THREE", "UNKNOWN"),
    ("uint8_t", "half", "ONE", "UNKNOWN"),
    ("int8_t", "int32_t", "TWO", "UNKNOWN"),
    ("uint8_t", "uint32_t", "THREE", "UNKNOWN"),
    ("int16_t", "float", "ZERO", "UNKNOWN"),
    ("int32_t", "float", "UNKNOWN", "CAST_RINT"),
    ("fp8_e4m3fn_t", "float", "TWO", "UNKNOWN"),
    ("float", "fp8_e4m3fn_t", "THREE", "CAST_RINT"),
    ("float", "fp8_e5m2_t", "ZERO", "CAST_RINT"),
    ("hifloat8_t", "half", "ONE", "UNKNOWN"),
    ("half", "hifloat8_t", "ZERO", "CAST_ROUND"),
]
NUMBERS: dict[str, Any] = {
    "half": np.float16,
    "float": np.float32,
    "int8_t": np.int8,
    "uint8_t": np.uint8,
    "int16_t": np.int16,
    "int32_t": np.int32,
    "uint32_t": np.uint32,
    "int64_t": np.int64,
    "bfloat16_t": np.uint16,
    "fp8_e4m3fn_t": np.uint8,
    "fp8_e5m2_t": np.uint8,
    "hifloat8_t": np.uint8,
}


def _spread(elements: Array, times: int) -> Array:
    out = np.zeros(len(elements) * times, elements.dtype)
    out[::times] = elements
    return out


def _cast_name(case: tuple[str, str, str, str]) -> str:
    return "cast_" + "_".join(case)


HEAD = """
    using namespace MicroAPI; auto st = ub.Load<uint8_t>(a, 2048), dt = ub.Load<uint8_t>(b, 2048);
    auto* s = reinterpret_cast<uint8_t*>(st.GetPhyAddr()); auto* t = reinterpret_cast<uint8_t*>(dt.GetPhyAddr());
    (void)s; (void)t; auto left = uint32_t(n); (void)left;
    MaskReg all = MicroAPI::CreateMask<uint8_t>(), some; (void)all; (void)some;"""
SAVE = "ub.Store<uint8_t>(b, dt, 2048);"


def _body(body: str) -> str:
    return f"{HEAD} {body} {SAVE}"


def _kernels() -> dict[str, str]:
    kernels: dict[str, str] = {}
    for name, (width, _) in LOADS.items():
        u = NAMES[width]
        kernels[f"load_{name}"] = _body(
            f"RegTensor<{u}> r; auto* p = reinterpret_cast<{u}*>(s);"
            f"LoadAlign<{u}, PostLiteral::POST_MODE_UPDATE, LoadDist::DIST_{name}>(r, p, 32);"
            f"StoreAlign(reinterpret_cast<{u}*>(t), r, all);"
            f"LoadAlign<{u}, LoadDist::DIST_{name}>(r, p);"
            f"DataCopy<{u}, StoreDist::DIST_NORM>(reinterpret_cast<{u}*>(t + 256), r, all);"
        )
    for width in (1, 2, 4):
        u = NAMES[width]
        kernels[f"two_{width}"] = _body(
            f"RegTensor<{u}> x, y; auto* p = reinterpret_cast<{u}*>(s); auto* q = reinterpret_cast<{u}*>(t);"
            f"LoadAlign<{u}, LoadDist::DIST_DINTLV_B{8 * width}>(x, y, p); StoreAlign(q, x, all);"
            f"StoreAlign(q + 256 / {width}, y, all);"
            f"StoreAlign<{u}, StoreDist::DIST_INTLV_B{8 * width}>(q + 512 / {width}, x, y, some);"
            f"Interleave(x, y, x, y); StoreAlign(q + 1024 / {width}, x, all); DeInterleave(x, y, x, y);"
            f"StoreAlign(q + 1280 / {width}, y, all);"
        )
    for width in (1, 2, 4, 8):
        u, trait = NAMES[width], ", RegTraitNumTwo" if width == 8 else ""
        kernels[f"masked_{width}"] = _body(
            f"RegTensor<{u}{trait}> r; auto* p = reinterpret_cast<{u}*>(s); auto* q = reinterpret_cast<{u}*>(t);"
            f"some = MicroAPI::UpdateMask<{u}{trait}>(left); LoadAlign(r, p); StoreAlign(q, r, some);"
            f"MaskNot(some, some, all); Squeeze(r, r, some); StoreAlign(q + 512 / {width}, r, all);"
            f"Duplicate(r, {u}(7), some); StoreAlign(q + 1024 / {width}, r, all);"
        )
    for width, kept in ((2, 1), (4, 2), (8, 4), (4, 1)):
        name = "PACK4_B32" if (width, kept) == (4, 1) else f"PACK_B{8 * width}"
        trait = ", RegTraitNumTwo" if width == 8 else ""
        u = NAMES[width]
        kernels[f"pack_{width}_{kept}"] = _body(
            f"RegTensor<{u}{trait}> r; LoadAlign(r, reinterpret_cast<{u}*>(s));"
            f"some = MicroAPI::UpdateMask<{u}{trait}>(left);"
            f"StoreAlign<{u}, StoreDist::DIST_{name}>(t, r, some);"
        )
    kernels["pack_as_half"] = _body("""RegTensor<float> w; RegTensor<half> h; LoadAlign(w, reinterpret_cast<float*>(s));
        static constexpr CastTrait rule = {RegLayout::ZERO, SatMode::NO_SAT, MaskMergeMode::ZEROING,
                                           RoundMode::CAST_RINT};
        some = MicroAPI::UpdateMask<float>(left); MicroAPI::Cast<half, float, rule>(h, w, some);
        StoreAlign<half, StoreDist::DIST_PACK_B32>(reinterpret_cast<half*>(t), h, some);
        Pack<uint16_t, uint32_t, HighLowPart::HIGHEST>(
            (RegTensor<uint16_t>&)h, (RegTensor<uint32_t>&)h);
        StoreAlign(reinterpret_cast<half*>(t + 256), h, all);""")
    kernels["first"] = _body("""RegTensor<uint16_t> r; LoadAlign(r, reinterpret_cast<uint16_t*>(s));
        StoreAlign<uint16_t, StoreDist::DIST_FIRST_ELEMENT_B16>(reinterpret_cast<uint16_t*>(t) + 3, r, some);""")
    kernels["blocks"] = _body("""RegTensor<uint16_t> r; auto* p = reinterpret_cast<uint16_t*>(s);
        auto* q = reinterpret_cast<uint16_t*>(t); some = MicroAPI::UpdateMask<uint16_t>(left);
        LoadAlign<uint16_t, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_UPDATE>(r, p, 2, 1, some);
        StoreAlign(q, r, all); LoadAlign<uint16_t, DataCopyMode::DATA_BLOCK_COPY>(r, p, 0, all);
        StoreAlign<uint16_t, DataCopyMode::DATA_BLOCK_COPY>(q + 128, r, 3, some);""")
    kernels["unaligned"] = _body("""RegTensor<float> r; UnalignReg u; UnalignRegForStore v;
        auto* p = reinterpret_cast<float*>(s) + 3; auto* q = reinterpret_cast<float*>(t) + 5;
        LoadUnAlignPre(u, p);
        for (uint16_t i = 0; i < 3; ++i) { LoadUnAlign(r, u, p, 40); StoreUnAlign(q, r, v, 40); }
        if (m != 0) { StoreUnAlignPost(q, v, 0); }
        Load(r, p + 1); Store(q + 100, r, 7);""")
    kernels["squeezed"] = _body("""RegTensor<uint32_t> r, x; UnalignReg u; auto* p = reinterpret_cast<uint32_t*>(s);
        auto* q = reinterpret_cast<uint32_t*>(t); ClearSpr<SpecialPurposeReg::AR>();
        for (uint16_t i = 0; i < 4; ++i) {
            LoadAlign(x, p + i * 64); MicroAPI::Compares<uint32_t, CMPMODE::LT>(some, x, uint32_t(m), all);
            GatherMask<uint32_t, MicroAPI::GatherMaskMode::STORE_REG>(r, x, some);
            DataCopyUnAlign<uint32_t, PostLiteral::POST_MODE_UPDATE>(q, r, u); }
        DataCopyUnAlignPost(q, u);
        q[400] = uint32_t(MicroAPI::GetSpr<SpecialPurposeReg::AR>());""")
    kernels["mask_store"] = _body("""some = MicroAPI::UpdateMask<uint32_t>(left); StoreAlign(t, some);
        MaskReg again; LoadAlign(again, t); StoreAlign<uint8_t, MaskDist::DIST_PACK>(t + 32, again);
        LoadAlign<uint32_t, MaskDist::DIST_US>(again, reinterpret_cast<uint32_t*>(s)); StoreAlign(t + 64, again);
        LoadAlign<uint32_t, MaskDist::DIST_DS>(again, reinterpret_cast<uint32_t*>(s)); StoreAlign(t + 96, again);
        UnalignReg u; auto* q = reinterpret_cast<uint32_t*>(t + 132); StoreUnAlign(q, some, u);
        StoreUnAlign(q, some, u); StoreUnAlignPost(q, u, 0);
        RegTensor<uint32_t> r; LoadAlign(r, reinterpret_cast<uint32_t*>(s));
        MaskGenWithRegTensor<uint32_t, 3>(some, r); StoreAlign(t + 160, some);
        MaskGenWithRegTensor<uint16_t, 1>(some, r); StoreAlign(t + 192, some);
        MaskUnPack<HighLowPart::HIGHEST>(again, some); StoreAlign(t + 224, again);
        MaskPack<HighLowPart::LOWEST>(again, again); StoreAlign(t + 256, again);
        MaskReg other; LoadAlign(other, s); MaskInterleave<uint16_t>(again, other, some, other);
        StoreAlign(t + 288, again); MaskDeInterleave<uint16_t>(again, other, again, other); StoreAlign(t + 320, other);
        MaskXor(again, some, other, all); StoreAlign(t + 352, again); MaskSel(again, some, other, again);
        StoreAlign(t + 384, again);
        SetVectorMask<half, MaskMode::NORMAL>(0x5ull, 0x3ull); again = MoveMask<half>(); StoreAlign(t + 416, again);
        again = MoveMask<float>(); StoreAlign(t + 448, again);""")
    patterns = ["ALL", "VL1", "VL2", "VL3", "VL4", "VL8", "VL16", "VL32", "VL64", "VL128", "M3", "M4", "H", "Q", "ALLF"]
    kernels["patterns"] = _body(
        "".join(
            f"some = MicroAPI::CreateMask<uint16_t, MaskPattern::{pattern}>(); StoreAlign(t + {32 * index}, some);"
            for index, pattern in enumerate(patterns)
        )
    )
    kernels["gather"] = _body("""RegTensor<uint16_t> r, at; RegTensor<uint8_t> bytes; RegTensor<uint32_t> at32;
        auto* p = reinterpret_cast<uint16_t*>(s); auto* q = reinterpret_cast<uint16_t*>(t);
        LoadAlign(at, p + 512); some = MicroAPI::UpdateMask<uint16_t>(left);
        MicroAPI::Gather(r, p, at, some); StoreAlign(q, r, all); DataCopyGather(r, s, at, some);
        StoreAlign(q + 128, r, all); LoadAlign(r, p); MicroAPI::Gather(r, r, at); StoreAlign(q + 256, r, all);
        LoadAlign(at32, reinterpret_cast<uint32_t*>(s + 1536)); DataCopyGatherB(r, p, at32, all);
        StoreAlign(q + 384, r, all); LoadAlign(r, p); Arange(at, 100); DataCopyScatter(q + 512, r, at, some);
        LoadAlign(bytes, s); MicroAPI::Scatter(t + 1536, bytes, at, some);""")
    kernels["fills"] = _body("""RegTensor<int16_t> r; auto* q = reinterpret_cast<int16_t*>(t); Arange(r, 5);
        StoreAlign(q, r, all); Arange<int16_t, IndexOrder::DECREASE_ORDER>(r, 5); StoreAlign(q + 128, r, all);
        some = MicroAPI::CreateMask<int16_t, MaskPattern::M3>(); Unsqueeze(r, some); StoreAlign(q + 256, r, all);
        RegTensor<int16_t> x; LoadAlign(x, reinterpret_cast<int16_t*>(s)); Duplicate(r, x, some);
        StoreAlign(q + 384, r, all); RegTensor<int32_t> w;
        UnPack<int32_t, int16_t, HighLowPart::HIGHEST>(w, x); StoreAlign(reinterpret_cast<int32_t*>(q + 512), w, all);
        RegTensor<uint8_t> bytes; LoadAlign(bytes, s); RegTensor<uint16_t> counts; Duplicate(counts, uint16_t(1));
        MaskReg part = MicroAPI::UpdateMask<uint8_t>(left);
        Histograms<uint8_t, uint16_t, HistogramsBinType::BIN1, HistogramsType::ACCUMULATE>(counts, bytes, part);
        StoreAlign(reinterpret_cast<uint16_t*>(q + 640), counts, all); Duplicate(counts, 0);
        Histograms(counts, bytes, part); StoreAlign(reinterpret_cast<uint16_t*>(q + 768), counts, all);""")
    kernels["address"] = _body("""RegTensor<float> r; for (uint16_t i = 0; i < 2; ++i) {
        AddrReg at = CreateAddrReg<float>(i, 64u, uint16_t(1), 8u); LoadAlign(r, reinterpret_cast<float*>(s), at);
        StoreAlign(reinterpret_cast<float*>(t), r, at, all); }
        LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>();""")
    for case in CASTS:
        source, target, layout, mode = case
        traits = [", RegTraitNumTwo" if kind == "int64_t" else "" for kind in (source, target)]
        kernels[_cast_name(case)] = _body(f"""RegTensor<{source}{traits[0]}> x; RegTensor<{target}{traits[1]}> y;
            static constexpr CastTrait rule = {{RegLayout::{layout}, SatMode::NO_SAT, MaskMergeMode::ZEROING,
                                                RoundMode::{mode}}};
            if (m != 0) {{ SetCtrlSpr<60, 60>(0); }} some = MicroAPI::UpdateMask<{source}{traits[0]}>(left);
            LoadAlign(x, reinterpret_cast<{source}*>(s)); MicroAPI::Cast<{target}, {source}, rule>(y, x, some);
            StoreAlign(reinterpret_cast<{target}*>(t), y, all);""")
    for pair in ("fp4x2_e2m1_t", "fp4x2_e1m2_t"):
        kernels[f"nibbles_{pair}"] = _body(f"""RegTensor<bfloat16_t> x, z; RegTensor<{pair}> y;
            static constexpr CastTrait rule = {{RegLayout::ONE, SatMode::SAT, MaskMergeMode::ZEROING,
                                                RoundMode::CAST_RINT}};
            LoadAlign(x, reinterpret_cast<bfloat16_t*>(s)); MicroAPI::Cast<{pair}, bfloat16_t, rule>(y, x, all);
            StoreAlign(reinterpret_cast<{pair}*>(t), y, all); MicroAPI::Cast<bfloat16_t, {pair}, rule>(z, y, all);
            StoreAlign(reinterpret_cast<bfloat16_t*>(t + 256), z, all);""")
    kernels["nibbles_int4"] = _body("""RegTensor<int16_t> x, z; RegTensor<int4x2_t> y;
        static constexpr CastTrait rule = {RegLayout::TWO, SatMode::SAT, MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
        LoadAlign(x, reinterpret_cast<int16_t*>(s)); MicroAPI::Cast<int4x2_t, int16_t, rule>(y, x, all);
        MicroAPI::Cast<int16_t, int4x2_t, rule>(z, y, all); StoreAlign(reinterpret_cast<int16_t*>(t), z, all);""")
    kernels["saturation"] = _body("""RegTensor<float> x; RegTensor<fp8_e5m2_t> y; RegTensor<half> h;
        static constexpr CastTrait rule = {RegLayout::ZERO, SatMode::SAT, MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
        LoadAlign(x, reinterpret_cast<float*>(s));
        if (m == 1) { SetCtrlSpr<60, 60>(0); } if (m == 2) { SetCtrlSpr<48, 48>(0); }
        if (m == 3) { SetCtrlSpr<60, 60>(0); InitSocState(); }
        t[512] = uint8_t(GetCtrlSpr<48, 48>() + 2 * GetCtrlSpr<59, 59>() + 4 * GetCtrlSpr<60, 60>());
        MicroAPI::Cast<fp8_e5m2_t, float, rule>(y, x, all); StoreAlign(reinterpret_cast<fp8_e5m2_t*>(t), y, all);
        MicroAPI::Cast<half, float, rule>(h, x, all); StoreAlign(reinterpret_cast<half*>(t + 256), h, all);""")
    kernels["beyond"] = _body("""RegTensor<uint8_t> r; auto* base = sktwin::Self().local[0];
        if (m == 0) { LoadAlign(r, base + 192 * 1024 - 224); } if (m == 1) { LoadAlign(r, s + 4); }
        if (m == 2) { LoadAlign(r, a); } if (m == 3) { UnalignReg u; LoadUnAlign(r, u, s); }
        if (m == 4) { some = MicroAPI::UpdateMask<uint8_t>(left); StoreAlign(base + 192 * 1024 - 224, r, some); }""")
    return kernels


@pytest.fixture(scope="module")
def reg() -> KernelLibrary:
    return compile_kernels(_kernels(), arch=3510)


def _source(seed: int = 1) -> Array:
    return np.random.default_rng(seed).integers(0, 256, 2048, np.uint8)


def _run(reg: KernelLibrary, name: str, source: Array, count: int = 0, choice: int = 0) -> Array:
    out = np.full(2048, 0xEE, np.uint8)
    whole = np.zeros(2048, np.uint8)
    whole[: source.nbytes] = source.view(np.uint8)[:2048]
    reg.run(name, whole, out, 0, 0, 0, 0, count, choice)
    return out


@pytest.mark.parametrize("name", list(LOADS))
def test_a_distribution_mode_places_elements(reg: KernelLibrary, name: str) -> None:
    width, expected = LOADS[name]
    source = _source()
    out = _run(reg, f"load_{name}", source)
    elements = source.view(UNSIGNED[width])
    np.testing.assert_array_equal(out[:256].view(UNSIGNED[width]), expected(elements))
    np.testing.assert_array_equal(out[256:512].view(UNSIGNED[width]), expected(elements[32:]))


@pytest.mark.parametrize("width", [1, 2, 4])
def test_two_registers_take_even_and_odd_elements_and_go_back(reg: KernelLibrary, width: int) -> None:
    source = _source()
    out = _run(reg, f"two_{width}", source).view(UNSIGNED[width]).reshape(8, -1)
    elements = source[:512].view(UNSIGNED[width])
    np.testing.assert_array_equal(out[0], elements[::2])
    np.testing.assert_array_equal(out[1], elements[1::2])
    np.testing.assert_array_equal(out[2:4].reshape(-1), elements)
    np.testing.assert_array_equal(out[4], elements[: 256 // width])
    np.testing.assert_array_equal(out[5], elements[1::2])


@pytest.mark.parametrize("count", [0, 1, 37, 1000])
@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_a_store_writes_active_elements_and_squeeze_compacts(reg: KernelLibrary, width: int, count: int) -> None:
    source = _source()
    lanes = max(64, 256 // width)
    out = _run(reg, f"masked_{width}", source, count).view(UNSIGNED[width])
    elements = source.view(UNSIGNED[width])[:lanes]
    kept = min(count, lanes)
    half = 512 // width
    np.testing.assert_array_equal(out[:kept], elements[:kept])
    assert (out[kept:lanes].view(np.uint8) == 0xEE).all()
    np.testing.assert_array_equal(out[half : half + lanes], np.append(elements[kept:], elements[:kept] * 0))
    np.testing.assert_array_equal(out[2 * half : 2 * half + lanes], np.where(np.arange(lanes) < kept, 0, 7))


@pytest.mark.parametrize(("width", "kept"), [(2, 1), (4, 2), (8, 4), (4, 1)])
def test_packing_stores_keep_the_low_part(reg: KernelLibrary, width: int, kept: int) -> None:
    source = _source()
    lanes = max(64, 256 // width) if width == 8 else 256 // width
    out = _run(reg, f"pack_{width}_{kept}", source, lanes - 3)
    low = source[: lanes * width].reshape(-1, width)[:, :kept].reshape(-1)
    np.testing.assert_array_equal(out[: len(low) - 3 * kept], low[: len(low) - 3 * kept])
    assert (out[len(low) - 3 * kept :] == 0xEE).all()


def test_a_narrowed_register_packs_under_the_mask_of_the_wide_one(reg: KernelLibrary) -> None:
    x = np.random.default_rng(2).normal(size=64).astype(np.float32)
    out = _run(reg, "pack_as_half", x, 50)
    np.testing.assert_array_equal(out[:100].view(np.float16), x[:50].astype(np.float16))
    assert (out[100:256] == 0xEE).all()
    packed = out[256:512].view(np.float16)
    assert not packed[:64].any()
    np.testing.assert_array_equal(packed[64:114], x[:50].astype(np.float16))


def test_a_first_element_store_needs_no_more_than_its_own_alignment(reg: KernelLibrary) -> None:
    source = _source()
    out = _run(reg, "first", source)
    np.testing.assert_array_equal(out[6:8], source[:2])
    assert (np.delete(out, [6, 7]) == 0xEE).all()


def test_block_copies_skip_blocks_without_lanes_and_move_their_address(reg: KernelLibrary) -> None:
    source = _source()
    out = _run(reg, "blocks", source, 40)
    blocks = source.reshape(-1, 32)
    expected = np.concatenate([blocks[0], blocks[2], blocks[4], np.zeros(160, np.uint8)])
    np.testing.assert_array_equal(out[:256], expected)
    np.testing.assert_array_equal(out[256:288], blocks[1])
    np.testing.assert_array_equal(out[256 + 96 : 288 + 96], blocks[1])
    np.testing.assert_array_equal(out[256 + 192 : 272 + 192], blocks[1][:16])
    assert (out[288:352] == 0xEE).all()
    assert (out[272 + 192 :] == 0xEE).all()


def test_unaligned_streams_write_their_tail_when_they_are_flushed(reg: KernelLibrary) -> None:
    source = _source()
    out = _run(reg, "unaligned", source, choice=1).view(np.uint32)
    words = source.view(np.uint32)
    np.testing.assert_array_equal(out[5:125], words[3:123])
    np.testing.assert_array_equal(out[225:232], words[124:131])
    unflushed = _run(reg, "unaligned", source).view(np.uint32)
    np.testing.assert_array_equal(unflushed[5:120], words[3:118])
    assert (unflushed[120:125].view(np.uint8) == 0xEE).all()


def test_squeezed_registers_follow_each_other_in_memory(reg: KernelLibrary) -> None:
    words = np.random.default_rng(3).integers(0, 100, 256, np.uint32)
    out = _run(reg, "squeezed", words, choice=37).view(np.uint32)
    kept = words[words < 37]
    np.testing.assert_array_equal(out[: len(kept)], kept)
    assert out[400] == 4 * len(kept)
    assert (out[len(kept) : 400].view(np.uint8) == 0xEE).all()


def _bits(data: Array) -> Array:
    return np.unpackbits(data, bitorder="little")


def test_masks_load_store_and_combine_bit_by_bit(reg: KernelLibrary) -> None:
    source = _source()
    found = _bits(_run(reg, "mask_store", source, 10)[:480]).reshape(15, 256)
    lanes = _spread((np.arange(64) < 10).astype(np.uint8), 4)
    np.testing.assert_array_equal(found[0], lanes)
    np.testing.assert_array_equal(found[1][:128], lanes[::2])
    np.testing.assert_array_equal(found[2], np.repeat(_bits(source[:16]), 2))
    np.testing.assert_array_equal(found[3], _bits(source[:64])[::2])
    np.testing.assert_array_equal(found[4][32:160], np.tile(lanes[::4], 2))
    np.testing.assert_array_equal(found[5], np.repeat(_bits(source[24:32]), 4))
    some = np.repeat(_bits(source[16:32]), 2)
    np.testing.assert_array_equal(found[6], some)
    np.testing.assert_array_equal(found[7], _spread(some[128:], 2))
    np.testing.assert_array_equal(found[8], np.append(some[128:], np.zeros(128)))
    other = _bits(source[:32])
    mixed = np.stack([some.reshape(-1, 2), other.reshape(-1, 2)], 1).reshape(-1)
    np.testing.assert_array_equal(found[9], mixed[:256])
    np.testing.assert_array_equal(found[10], other)
    np.testing.assert_array_equal(found[11], some ^ other)
    np.testing.assert_array_equal(found[12], np.where(some ^ other, some, other))
    register = np.array([1, 1] + [0] * 62 + [1, 0, 1] + [0] * 61, np.uint8)
    np.testing.assert_array_equal(found[13], np.repeat(register, 2))
    np.testing.assert_array_equal(found[14], np.repeat(register[:64], 4))


def test_mask_patterns_name_lanes(reg: KernelLibrary) -> None:
    found = _bits(_run(reg, "patterns", _source())[:480]).reshape(15, 256)[:, ::2]
    i = np.arange(128)
    lengths = [128, 1, 2, 3, 4, 8, 16, 32, 64, 128]
    expected = [i < n for n in lengths] + [i % 3 == 0, i % 4 == 0, i < 64, i < 32, i < 0]
    np.testing.assert_array_equal(found, np.array(expected))


def test_gathers_take_elements_blocks_and_lanes(reg: KernelLibrary) -> None:
    random = np.random.default_rng(4)
    source = _source()
    index = random.integers(0, 512, 128).astype(np.uint16)
    offsets = random.integers(0, 32, 64).astype(np.uint32) * 32
    source[1024:1280], source[1536:1792] = index.view(np.uint8), offsets.view(np.uint8)
    out = _run(reg, "gather", source, 90)
    halves = source.view(np.uint16)
    active = np.arange(128) < 90
    np.testing.assert_array_equal(out[:256].view(np.uint16), np.where(active, halves[index], 0))
    np.testing.assert_array_equal(out[256:512].view(np.uint16), np.where(active, source[index], 0))
    np.testing.assert_array_equal(out[512:768].view(np.uint16), halves[index % 128])
    np.testing.assert_array_equal(out[768:1024].reshape(8, 32), source.reshape(-1, 32)[offsets[:8] // 32])
    np.testing.assert_array_equal(out[1024 + 200 : 1024 + 380].view(np.uint16), halves[:90])
    np.testing.assert_array_equal(out[1636:1726], source[:180:2])


def test_fills_count_and_histograms_add(reg: KernelLibrary) -> None:
    source = _source()
    out = _run(reg, "fills", source, 200).view(np.int16).reshape(8, 128)
    np.testing.assert_array_equal(out[0], np.arange(5, 133))
    np.testing.assert_array_equal(out[1], np.arange(132, 4, -1))
    third = np.arange(128) % 3 == 0
    np.testing.assert_array_equal(out[2], np.cumsum(third) - third)
    halves = source.view(np.int16)
    np.testing.assert_array_equal(out[3], np.where(third, halves[0], 0))
    np.testing.assert_array_equal(out[4].view(np.int32), halves[64:128].astype(np.int32))
    counts = np.bincount(source[:200], minlength=256)
    np.testing.assert_array_equal(out[5], 1 + np.cumsum(counts)[128:])
    np.testing.assert_array_equal(out[6], counts[:128])


def test_address_registers_add_their_products(reg: KernelLibrary) -> None:
    source = _source()
    out = _run(reg, "address", source)
    np.testing.assert_array_equal(out[32:544], source[32:544])
    assert (out[544:] == 0xEE).all()


def _inputs(kind: str) -> Array:
    random = np.random.default_rng(7)
    dtype = NUMBERS[kind]
    count = 64 if kind == "int64_t" else 256 // np.dtype(dtype).itemsize
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
    x = (random.normal(size=count) * 10.0 ** random.integers(-3, 7 if kind == "float" else 4, count)).astype(dtype)
    x[:10] = [0.5, 1.5, 2.5, -0.5, -1.5, np.inf, -np.inf, np.nan, 65504, -0.0]
    return x


def _numbers(kind: str, stored: Array) -> Array:
    return values(kind)[stored] if kind in ("fp8_e4m3fn_t", "hifloat8_t") else stored


def _rounded(x: Array, mode: str) -> Array:
    rounds: dict[str, Callable[[Array], Array]] = {
        "CAST_RINT": np.rint,
        "CAST_FLOOR": np.floor,
        "CAST_CEIL": np.ceil,
        "CAST_TRUNC": np.trunc,
        "CAST_ROUND": lambda v: np.trunc(v + np.copysign(0.5, v)),
    }
    return rounds[mode](x.astype(np.float64))


def _converted(source: str, target: str, mode: str, stored: Array, *, clamp: bool) -> Array:
    x, dtype = _numbers(source, stored), NUMBERS[target]
    with np.errstate(all="ignore"):
        if target in ("fp8_e4m3fn_t", "fp8_e5m2_t", "hifloat8_t"):
            return encode(target, x, mode)
        if target == "bfloat16_t":
            bits = x.view(np.uint32).astype(np.uint64)
            even = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
            return np.where(np.isnan(x), np.uint16((bits[np.isnan(x)][0] >> np.uint64(16)) | np.uint64(0x40)), even)
        if mode == "CAST_ODD":
            nearest = x.astype(np.float16)
            down = np.where(
                np.abs(nearest.astype(np.float64)) > np.abs(x), nearest.view(np.uint16) - 1, nearest.view(np.uint16)
            )
            exact = down.astype(np.uint16).view(np.float16).astype(np.float64) == x
            odd = np.where(exact | ~np.isfinite(x), down, down | 1).astype(np.uint16).view(np.float16)
            return np.where(np.isfinite(x), odd, nearest)
        if not np.issubdtype(dtype, np.integer):
            return x.astype(dtype)
        limits = np.iinfo(dtype)
        whole = x.astype(object) if np.issubdtype(x.dtype, np.integer) else _rounded(x, mode)
        out = []
        for value in whole.tolist():
            if value != value:
                out.append(0)
            elif clamp or abs(value) == np.inf:
                out.append(int(min(max(value, limits.min), limits.max)))
            else:
                out.append(int(np.array([int(value) % 2 ** (8 * dtype().itemsize)], np.uint64).astype(dtype)[0]))
        return np.array(out, dtype)


@pytest.mark.parametrize("truncates", [False, True])
@pytest.mark.parametrize("case", CASTS, ids=_cast_name)
def test_a_cast_rounds_and_places_its_lanes(
    reg: KernelLibrary, case: tuple[str, str, str, str], *, truncates: bool
) -> None:
    source, target, layout, mode = case
    x = _inputs(source)
    count = len(x) - 5
    out = _run(reg, _cast_name(case), x, count, int(truncates))
    part = {"UNKNOWN": 0, "ZERO": 0, "ONE": 1, "TWO": 2, "THREE": 3}[layout]
    converted = _converted(source, target, mode, x, clamp=not truncates)
    converted = np.where(np.arange(len(x)) < count, converted, 0).astype(NUMBERS[target])
    lanes = 64 if target == "int64_t" else 256 // converted.itemsize
    if lanes > len(x):
        expected = np.zeros(lanes, converted.dtype)
        expected[part :: lanes // len(x)] = converted
    else:
        expected = converted[part :: len(x) // lanes]
    found = out.view(converted.dtype)[:lanes]
    if target.startswith("fp8") or target == "hifloat8_t":
        np.testing.assert_array_equal(values(target)[found], values(target)[expected])
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("choice", "control"), [(0, 5), (1, 1), (2, 4), (3, 5)])
def test_the_control_register_or_the_cast_decides_about_saturation(
    reg: KernelLibrary, choice: int, control: int
) -> None:
    x = np.zeros(64, np.float32)
    x[:4] = [1e6, -np.inf, np.nan, 2.0]
    out = _run(reg, "saturation", x, choice=choice)
    saturated = choice in (1, 2)
    assert out[512] == control
    largest, half = (57344.0, 65504.0) if saturated else (np.inf, np.inf)
    nothing = 0.0 if saturated else np.nan
    np.testing.assert_array_equal(values("fp8_e5m2_t")[out[:16:4]], [largest, -largest, nothing, 2.0])
    np.testing.assert_array_equal(out[256:272].view(np.float16)[::2], [half, -half, nothing, 2.0])


@pytest.mark.parametrize("pair", ["fp4x2_e2m1_t", "fp4x2_e1m2_t"])
def test_pairs_of_four_bits_lie_in_one_byte_of_four(reg: KernelLibrary, pair: str) -> None:
    x = to_bfloat16(np.random.default_rng(8).normal(size=128) * 3)
    out = _run(reg, f"nibbles_{pair}", x)
    codes = encode(pair, from_bfloat16(x))
    expected = np.zeros(256, np.uint8)
    expected[1::4] = pack(codes)
    np.testing.assert_array_equal(out[:256], expected)
    np.testing.assert_array_equal(out[256:512].view(np.uint16), to_bfloat16(values(pair)[codes]))


def test_integers_of_four_bits_clamp(reg: KernelLibrary) -> None:
    x = np.random.default_rng(9).integers(-20, 20, 128).astype(np.int16)
    np.testing.assert_array_equal(_run(reg, "nibbles_int4", x)[:256].view(np.int16), np.clip(x, -8, 7))


@pytest.mark.parametrize(
    ("choice", "report"),
    [
        (0, "local-memory-size: bytes"),
        (1, "local-memory-alignment: the operand starts at byte 4 of UB"),
        (2, "local-memory-position: LoadAlign: the address does not lie in UB"),
        (3, "unaligned-load-order: LoadUnAlign without LoadUnAlignPre"),
    ],
)
def test_an_access_that_the_device_cannot_make_is_a_fault(reg: KernelLibrary, choice: int, report: str) -> None:
    with pytest.raises(KernelFaultError, match=report):
        _run(reg, "beyond", _source(), choice=choice)


def test_a_store_needs_room_for_its_active_lanes_only(reg: KernelLibrary) -> None:
    _run(reg, "beyond", _source(), count=224, choice=4)
    with pytest.raises(KernelFaultError, match="local-memory-size"):
        _run(reg, "beyond", _source(), count=225, choice=4)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("Reg::LoadAlign<float, Reg::LoadDist::DIST_BRC_B16>(x, p);", "distribution mode is for elements of another"),
        ("Reg::LoadAlign<float, Reg::LoadDist::DIST_DINTLV_B32>(x, p);", "DIST_DINTLV fills two registers"),
        ("Reg::StoreAlign<float, Reg::StoreDist::DIST_NORM_B8>(p, x, k);", "distribution mode is for elements of"),
        ("Reg::Cast<uint8_t, float, rule>(y, x, k);", "Reg::Cast: there is no conversion between these element types"),
        ("Reg::Cast<float, uint8_t, rule>(x, y, k);", "Reg::Cast: there is no conversion between these element types"),
        ("Reg::Cast<int32_t, float, rule>(z, x, k);", "does not have the RoundMode of its CastTrait"),
        ("Reg::Cast<half, float, narrow>(h, x, k);", "RegLayout names no part of the wider lanes"),
    ],
)
def test_a_mode_that_does_not_fit_is_one_error_that_names_it(body: str, words: str) -> None:
    head = """Reg::RegTensor<float> x; Reg::RegTensor<uint8_t> y; Reg::RegTensor<int32_t> z; Reg::RegTensor<half> h;
        (void)x; (void)y; (void)z; (void)h; float* p = nullptr; (void)p; auto k = Reg::CreateMask<float>(); (void)k;
        static constexpr Reg::CastTrait rule = {Reg::RegLayout::ZERO};
        static constexpr Reg::CastTrait narrow = {Reg::RegLayout::TWO, Reg::SatMode::SAT, Reg::MaskMergeMode::ZEROING,
                                                  RoundMode::CAST_RINT}; (void)rule; (void)narrow;"""
    message = compiler_message(head + body, 3510)
    assert words in message
    assert message.count("error:") == 1
