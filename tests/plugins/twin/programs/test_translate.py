# Licensed under the Apache License, Version 2.0.
"""Launches become calls and qualifiers facts; all other text stays as it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skcore.errors import InputError
from skcore.graph.kernel import KernelType
from skcore_twin.programs.tokens import place_of, tokens_of
from skcore_twin.programs.translate import translate

KERNEL = "__global__ __vector__ void k(int* x) {}\ntemplate <typename T, int N> __global__ __cube__ void t(T x) {}\n"


def launched(text: str) -> str:
    """The translation of text that follows two kernels, without them."""
    return translate(KERNEL + text).text.split("\n", 2)[2]


def configure(name: str, type_name: str) -> str:
    return (
        f"::sktwin::program::Configure<::sktwin::program::Type::{type_name}, &{name}>"
        f'("{name}", ::sktwin::Site::Here(), '
    )


@pytest.mark.parametrize(
    ("text", "name", "kind", "rest"),
    [
        ("k<<<1, 0, s>>>(x);", "k", "kAivOnly", "1, 0, s)(x);"),
        ("k <<< f(1, g(2)), nullptr, s[0] >>> (x, y);", "k", "kAivOnly", " f(1, g(2)), nullptr, s[0] ) (x, y);"),
        ("t<float, 3><<<n, 0>>>(1);", "t<float, 3>", "kAicOnly", "n, 0)(1);"),
        ("a::b::k<<<1, 0, s>>>(x);", "a::b::k", "kAivOnly", "1, 0, s)(x);"),
        ("::k<<<1, 0, s>>>(x);", "::k", "kAivOnly", "1, 0, s)(x);"),
        ("O<int>::t<A<B<C>>, (3 > 2)><<<1, 0, s>>>(x);", "O<int>::t<A<B<C>>, (3 > 2)>", "kAicOnly", "1, 0, s)(x);"),
        ("if (y) k<<<1,\n0, s\n>>>\n(x);", "k", "kAivOnly", "1,\n0, s\n)\n(x);"),
        ("k<<<[] { return 1; }(), 0, s>>>(x);", "k", "kAivOnly", "[] { return 1; }(), 0, s)(x);"),
    ],
)
def test_a_launch_becomes_a_call_and_its_arguments_stay(text: str, name: str, kind: str, rest: str) -> None:
    head = "if (y) " if text.startswith("if") else ""
    assert launched(text) == head + configure(name, kind) + rest


@pytest.mark.parametrize(
    "text",
    [
        'const char* a = "k<<<1, 0, s>>>(x)";',
        'const char* a = R"x(k<<<1, 0, s>>>(x) )" )x";',
        "// k<<<1, 0, s>>>(x)",
        "/* k<<<1,\n 0, s>>>(x) */",
        "char a = '\"'; int b = 1'000'000; char c = '\"';",
        "auto a = b << c; auto d = e >> f; std::vector<std::vector<std::vector<int>>> g(3);",
        "template <> S& operator<<<char>(S& s, char c);",
        'auto a = u8R"(__vector__)"; auto b = L"__global__ \\" k<<<";',
    ],
)
def test_text_without_a_launch_stays_byte_for_byte(text: str) -> None:
    assert launched(text) == text


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("__global__ __vector__ void a(int x) {}", KernelType.AIV_ONLY),
        ("__vector__ __global__ __attribute__((x)) void a(int x) {}", KernelType.AIV_ONLY),
        ('extern "C" __global__ __cube__ void a(int x) {}', KernelType.AIC_ONLY),
        ("__global__ __mix__(1, 2) void a(int x) {}", KernelType.MIX_AIC_1_2),
        ("__schedmode__(1) __mix__(1,1) __global__ void a(int x) {}", KernelType.MIX_AIC_1_1),
        ("__global__ __mix__(0, 1) void a(int x) {}", KernelType.MIX_AIV_1_0),
        ("__global__ [[maybe_unused]] __mix__(1, 0) static inline void a(int x) {}", KernelType.MIX_AIC_1_0),
        ("template <int N = (3 > 2)> __global__ __cube__ void a(int x) {}", KernelType.AIC_ONLY),
        ("__global__ void a(int x) { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1); }", KernelType.MIX_AIC_1_1),
        ("__global__ void a(int x) { { } KERNEL_TASK_TYPE(3, KERNEL_TYPE_AIC_ONLY); }", KernelType.AIC_ONLY),
        ("__global__ __cube__ void a(int x);\n__global__ void a(int x) { }", KernelType.AIC_ONLY),
        ("__global__ void a(int x) { Adds(x, x, 1); }", KernelType.AIV_ONLY),
        ("__global__ void a(int x) { Adds(x, x, 1); SyncAll(); }", KernelType.MIX_AIV_1_0),
        ("__global__ void a(int x) { Mmad(x, x, x); }", KernelType.AIC_ONLY),
        ("__global__ void a(int x) { Mmad(x, x, x); Adds(x, x, 1); }", KernelType.MIX_AIC_1_2),
        ("__global__ void a(int x) { Matmul<A, B, C> m; }", KernelType.MIX_AIC_1_2),
    ],
)
def test_the_type_of_a_kernel_follows_from_its_marks_or_else_from_what_it_calls(
    declaration: str, expected: KernelType
) -> None:
    translation = translate(declaration)
    assert translation.types == {"a": expected}
    assert len(translation.text) == len(declaration)
    assert not re.search(r"__(global|vector|cube|mix|schedmode)__|KERNEL_TASK_TYPE", translation.text)


def test_the_host_gets_no_bodies_of_kernels_and_the_same_lines() -> None:
    text = '__global__ __vector__ void a(int x) {\n  wrong\n# 7 "x.h"\n  { } oops\n}\nint after;'
    head = " " * len("__global__ __vector__ ")
    assert translate(text, host=True).text == f'{head}void a(int x) {{\n\n# 7 "x.h"\n\n}}\nint after;'


def test_headers_of_the_system_are_left_alone() -> None:
    text = '# 1 "a.asc"\nint a;\n# 1 "/usr/x.h" 1 3\nint __global__; x<<<y;\n# 2 "a.asc" 2\nint b;\n'
    assert translate(text).text == text
    assert [token.text for token in tokens_of(text) if token.kind == "name"] == ["int", "a", "int", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("void f() { k<<<1, 0, s; }", "x.asc:12: '<<<' without '>>>('"),
        ("void f() { (k)<<<1, 0, s>>>(x); }", "x.asc:12: '<<<' follows no name of a kernel"),
        ("void f() { g<<<1, 0, s>>>(x); }", "x.asc:12: 'g' is launched, but no kernel of that name"),
        ("__global__ __cube__ void h(int);\nvoid f() { h<<<1, 0, s>>>(x); }", "its body is in another source"),
        ("__global__ __mix__(2, 1) void h(int x) {}", "x.asc:12: __mix__ takes"),
        ("__global__ int x;", "x.asc:12: '__global__' without a function"),
        ("__global__ __cube__ void k(int x) {}", "x.asc:12: kernel 'k' has another type at x.asc:10"),
        ("__global__ void h() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_NONE); }", "unknown kernel type"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        translate(f'# 10 "x.asc"\n{KERNEL}{text}\n')


def test_a_place_follows_the_line_markers() -> None:
    text = '# 1 "a.asc"\none\n# 5 "b.h" 1\nfive\nsix\n# 3 "a.asc" 2\nthree'
    assert [place_of(text, text.index(word)) for word in ("one", "six", "three")] == ["a.asc:1", "b.h:6", "a.asc:3"]


PIECES = st.sampled_from(['"', "'", "R\"(", ")\"", "\\", "//", "/*", "*/", "\n", "<<<", ">>>", "(", ")", "{", "}", ";",
                          "k", "__global__", "__mix__", "<", ">", "::", "0", "# 1 \"a\" 3\n"])  # fmt: skip


@given(st.lists(PIECES, max_size=30))
def test_any_text_is_translated_or_refused(pieces: list[str]) -> None:
    try:
        translate("".join(pieces))
    except InputError as error:
        assert error.problems
