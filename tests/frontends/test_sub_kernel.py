# Licensed under the Apache License, Version 2.0.
"""Compiled sub-kernels: metadata and binary (spec jit §2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skcore.errors import InputError
from skcore.frontends.sub_kernel import read_sub_kernel
from skcore.graph.kernel import CacheCleaning, CoreKind, EarlyStartCalls, KernelType, SubKernel
from skcore.testing.objects import make_archive, make_object
from tests.builders import ARCHES, PARAMETERS, TYPES, target, write_kernel

BOTH = {"kernel_type": "KERNEL_TYPE_MIX_AIC_1_2", "dav-c220-cube": "k_cube", "dav-c220-vec": "k_vec"}


def read(folder: Path, name: str = "k", *, dynamic: bool = False, arch: str = "dav-2201") -> SubKernel:
    return read_sub_kernel(folder / f"{name}.json", folder / f"{name}.o", target(arch), dynamic=dynamic)


def problems(folder: Path, *, dynamic: bool = False, arch: str = "dav-2201") -> list[str]:
    with pytest.raises(InputError) as raised:
        read(folder, dynamic=dynamic, arch=arch)
    return [str(problem) for problem in raised.value.problems]


def with_table(folder: Path, table: object, kernel_type: str = "KERNEL_TYPE_MIX_AIC_1_2") -> None:
    facts = write_kernel(folder, "k", kernel_type)
    facts["sub_operator_kernel_name"] = {"dynamic_func_names": table}
    (folder / "k.json").write_text(json.dumps(facts))
    (folder / "k.o").write_bytes(make_object(["k_only", "k_cube", "k_vec"], 64))


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
def test_each_kernel_type_finds_the_code_of_its_kinds(tmp_path: Path, kernel_type: KernelType) -> None:
    write_kernel(tmp_path, "k", kernel_type.json_name)
    kernel = read(tmp_path)
    assert kernel.kernel_type is kernel_type
    assert (kernel.name, kernel.blocks, kernel.parameters) == ("k", 4, PARAMETERS)
    for kind in CoreKind:
        runs = kind in kernel_type.kinds
        assert kernel.symbols[kind] == (f"k_{kind.value}" if runs else None)
        assert [copy.symbol for copy in kernel.code[kind]] == [f"k_{kind.value}"] * runs
        assert kernel.text_bytes(kind) == (2000 if runs else None)


@pytest.mark.parametrize("kernel_type", TYPES, ids=lambda kernel_type: kernel_type.name)
@pytest.mark.parametrize("split", [1, 2, 4])
def test_split_copies_come_out_of_the_archive(tmp_path: Path, kernel_type: KernelType, split: int) -> None:
    write_kernel(tmp_path, "k", kernel_type.json_name, split_mode=split)
    kernel = read(tmp_path)
    assert kernel.split_mode == split
    for kind in kernel_type.kinds:
        base = f"k_{kind.value}"
        assert [copy.symbol for copy in kernel.code[kind]] == [base, *(f"{base}_split{i}" for i in range(1, split))]


def test_jit_12_missing_copies_mean_fewer_copies(tmp_path: Path) -> None:
    write_kernel(tmp_path, "k", split_mode=4)
    members = {"k_aiv.o": make_object(["k_aiv"], 8), "k_aiv_split1.o": make_object(["k_aiv_split1"], 8)}
    (tmp_path / "k.o").write_bytes(make_archive(members))
    assert [copy.symbol for copy in read(tmp_path).code.aiv] == ["k_aiv", "k_aiv_split1"]


def test_a_missing_base_object_is_refused_with_what_the_archive_has(tmp_path: Path) -> None:
    write_kernel(tmp_path, "k", split_mode=2)
    (tmp_path / "k.o").write_bytes(make_archive({"other.o": make_object(["k_aiv"], 8)}))
    (problem,) = problems(tmp_path)
    assert "has no member 'k_aiv.o'" in problem
    assert "has: other.o" in problem


@pytest.mark.parametrize("kernel_type", ["KERNEL_TYPE_AIV_ONLY", "KERNEL_TYPE_MIX_AIC_1_2"])
def test_an_archive_is_refused_when_the_metadata_names_no_object_in_it(tmp_path: Path, kernel_type: str) -> None:
    facts = write_kernel(tmp_path, "k", kernel_type, split_mode=1)
    for entry in facts["sub_operator_kernel_name"].values():
        del entry["obj_files"]
    (tmp_path / "k.json").write_text(json.dumps(facts))
    assert "obj_files" in problems(tmp_path)[0]


def test_only_the_base_name_of_an_object_counts(tmp_path: Path) -> None:
    facts = write_kernel(tmp_path, "k", split_mode=1)
    assert facts["sub_operator_kernel_name"]["AiCore"]["obj_files"].startswith("/somewhere/")
    assert read(tmp_path).code.aiv[0].label == "k_aiv.o"


def test_facts_of_the_metadata_are_kept(tmp_path: Path) -> None:
    write_kernel(
        tmp_path,
        "k",
        sub_operator_early_start_set_flag=True,
        sub_operator_early_start_wait_flag=False,
        sub_operator_call_dcci_before_kernel_start=True,
        sub_operator_call_dcci_disable_on_kernel=True,
        sub_op_with_sync_all=True,
        sub_operator_op_type="Add",
        supportSuperKernel=0,
        debugOptions="printf,dump",
        debugBufSize=100,
    )
    kernel = read(tmp_path)
    assert kernel.early_start == EarlyStartCalls(sets=True, waits=False)
    assert kernel.cleaning == CacheCleaning(before=True, after=False, disabled=True)
    assert kernel.full_sync
    assert kernel.op_type == "Add"
    assert not kernel.supports_fusion
    assert (kernel.debug_options, kernel.debug_bytes) == (("printf", "dump"), 100)


def test_debug_options_without_output_need_no_buffer(tmp_path: Path) -> None:
    write_kernel(tmp_path, "k", debugOptions="dump_cce", debugBufSize=100)
    kernel = read(tmp_path)
    assert (kernel.debug_options, kernel.debug_bytes) == ((), 0)


def test_fields_of_other_readers_do_not_matter(tmp_path: Path) -> None:
    write_kernel(tmp_path, "k", magic="RT_DEV_BINARY_MAGIC_ELF_AIVEC", workspace={"num": 1}, parameters=[None])
    assert read(tmp_path).name == "k"


REQUIRED = (
    "kernelName", "sub_operator_kernel_name", "sub_operator_kernel_type", "blockDim", "sub_operator_params",
    "sub_operator_early_start_set_flag", "sub_operator_early_start_wait_flag",
)  # fmt: skip


@pytest.mark.parametrize("field", REQUIRED)
def test_a_missing_field_is_named_with_its_file(tmp_path: Path, field: str) -> None:
    write_kernel(tmp_path, "k", "KERNEL_TYPE_AIV_ONLY", **{field: None})
    (problem,) = problems(tmp_path)
    assert problem.startswith(f"{tmp_path / 'k.json'}: {field}: ")


def test_all_missing_fields_are_named_together(tmp_path: Path) -> None:
    (tmp_path / "k.json").write_text("{}")
    assert len(problems(tmp_path)) == len(REQUIRED)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"blockDim": 0}, "blockDim: Input should be greater than or equal to 1"),
        ({"blockDim": -3}, "blockDim: Input should be greater than or equal to 1"),
        ({"blockDim": "32"}, "blockDim"),
        ({"sub_operator_params": "x,y"}, "sub_operator_params"),
        ({"sub_operator_early_start_set_flag": "false"}, "sub_operator_early_start_set_flag"),
        ({"sub_operator_kernel_name": {}}, "sub_operator_kernel_name.AiCore: is missing for a AIV_ONLY kernel"),
        ({"sub_operator_kernel_name": {"AiCore": {}}}, "func_name"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, changes: dict[str, Any], part: str) -> None:
    facts = write_kernel(tmp_path, "k")
    (tmp_path / "k.json").write_text(json.dumps({**facts, **changes}))
    assert part in problems(tmp_path)[0]


def test_an_unknown_kernel_type_is_refused_with_the_nearest(tmp_path: Path) -> None:
    facts = write_kernel(tmp_path, "k")
    (tmp_path / "k.json").write_text(json.dumps({**facts, "sub_operator_kernel_type": "KERNEL_TYPE_MIX_AIC_1_3"}))
    (problem,) = problems(tmp_path)
    assert "did you mean 'KERNEL_TYPE_MIX_AIC_1_" in problem


@pytest.mark.parametrize("arch", ARCHES)
def test_a_kernel_for_another_chip_is_refused_for_every_kind(tmp_path: Path, arch: str) -> None:
    write_kernel(tmp_path, "k", "KERNEL_TYPE_MIX_AIC_1_2")
    if arch == "dav-2201":
        assert read(tmp_path, arch=arch).symbols.aic == "k_aic"
        return
    found = problems(tmp_path, arch=arch)
    assert len(found) == 2
    assert all("is missing for a MIX_AIC_1_2 kernel on dav-3510" in problem for problem in found)
    assert "has: dav-c220-cube, dav-c220-vec" in found[0]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b'"text"', b"12"])
def test_metadata_that_is_no_object_is_refused_with_its_file(tmp_path: Path, content: bytes) -> None:
    write_kernel(tmp_path, "k")
    (tmp_path / "k.json").write_bytes(content)
    assert problems(tmp_path)[0].startswith(str(tmp_path / "k.json"))


def test_an_object_without_the_symbol_is_refused_and_names_it(tmp_path: Path) -> None:
    write_kernel(tmp_path, "k")
    (tmp_path / "k.o").write_bytes(make_object(["something_else"], 8))
    assert "k_aiv" in problems(tmp_path)[0]


@pytest.mark.parametrize("content", [b"", b"hello", b"\x7fELF", b"!<arch>\n"])
def test_a_binary_that_is_no_object_is_refused(tmp_path: Path, content: bytes) -> None:
    write_kernel(tmp_path, "k")
    (tmp_path / "k.o").write_bytes(content)
    assert problems(tmp_path)


# Tiling-sink kernels


def test_the_tiling_table_is_read_in_order_of_its_keys(tmp_path: Path) -> None:
    vector = {"kernel_type": "KERNEL_TYPE_AIV_ONLY", "AiCore": "k_only"}
    with_table(tmp_path, {"10": BOTH, "2": vector})
    first, second = read(tmp_path, dynamic=True).tiling
    assert (first.key, first.kernel_type, first.symbols.aic, first.symbols.aiv) == (
        2, KernelType.AIV_ONLY, None, "k_only",
    )  # fmt: skip
    assert (second.key, second.symbols.aic, second.symbols.aiv) == (10, "k_cube", "k_vec")


@pytest.mark.parametrize(
    "table",
    [
        None,
        [],
        "text",
        {"two": BOTH},
        {"2": "symbol"},
        {"2": {}},
        {"2": {"kernel_type": "KERNEL_TYPE_NONE"}},
        {"2": {"kernel_type": 4}},
        {"2": {"kernel_type": "KERNEL_TYPE_AIV_ONLY"}},
        {"2": {"kernel_type": "KERNEL_TYPE_MIX_AIC_1_2", "dav-c220-vec": "v"}},
    ],
    ids=str,
)
def test_a_wrong_tiling_table_is_refused_with_its_place(tmp_path: Path, table: object) -> None:
    with_table(tmp_path, table)
    assert f"{tmp_path / 'k.json'}: sub_operator_kernel_name.dynamic_func_names" in problems(tmp_path, dynamic=True)[0]


@pytest.mark.parametrize("whole", ["KERNEL_TYPE_AIV_ONLY", "KERNEL_TYPE_MIX_AIC_1_0", "KERNEL_TYPE_MIX_AIC_1_1"])
def test_a_variant_that_needs_cores_which_its_operator_does_not_have_is_refused(tmp_path: Path, whole: str) -> None:
    with_table(tmp_path, {"10": BOTH}, whole)
    (problem,) = problems(tmp_path, dynamic=True)
    assert "dynamic_func_names.10: is of type MIX_AIC_1_2" in problem


@pytest.mark.parametrize("symbol", ["../k", "k()", "a b", ""])
def test_a_symbol_that_is_no_name_is_refused_even_when_the_object_has_it(tmp_path: Path, symbol: str) -> None:
    facts = write_kernel(tmp_path, "k")
    facts["sub_operator_kernel_name"]["AiCore"]["func_name"] = symbol
    (tmp_path / "k.json").write_text(json.dumps(facts))
    (tmp_path / "k.o").write_bytes(make_object([symbol], 8))
    assert problems(tmp_path)
