# Licensed under the Apache License, Version 2.0.
"""The list of what a program may use is what the headers declare."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from skcore.cli.app import build_app
from skcore_twin.programs.api import declared_names

TEXT = """
namespace A::B {
template <typename T, int N = (3 > 2)> __attribute__((x)) inline T Function(T value = {}, int = N) { int inner; }
template <> void Function<int, 3>(int);
struct Plain { int member; int Method() const { return member; } Plain(int x) : member(x) {} friend int f(); } x;
class Hidden : public Plain<int> { void Not(); public: using Alias = int; ~Hidden(); static constexpr int kMine = 1; };
enum class Kind : int { ONE, TWO };
constexpr Kind VALUE = Kind::ONE;
template <int d> class Queue : public Base<f(d), (d > 1)> {};
using Short = Plain;
using namespace std;
namespace detail { void Unseen(); }
bool operator==(Plain, Plain);
extern int variable;
static_assert(true, "");
}
extern "C" { int call(const char* text); }
"""


def test_names_are_those_of_functions_types_public_members_and_constants() -> None:
    members = {"Plain::member", "Plain::Method", "Hidden::Alias"}
    own = {"Function", "Plain", "Hidden", "Queue", "Kind", "VALUE", "Short", "variable", *members}
    assert set(declared_names(TEXT)) == {*(f"A::B::{name}" for name in own), "call"}


@pytest.mark.parametrize("chip", ["dav-2201", "dav-3510"])
def test_the_command_lists_device_and_host_names_of_a_chip(chip: str) -> None:
    result = CliRunner().invoke(build_app(), ["twin", "api", "--npu-arch", chip])
    names = set(result.output.splitlines())
    assert result.exit_code == 0
    assert {"AscendC::DataCopy", "AscendC::TPipe::InitBuffer", "AscendC::GlobalTensor::SetGlobalBuffer"} <= names
    assert {"aclrtMalloc", "platform_ascendc::PlatformAscendC::GetCoreNumAic"} <= names
    assert ("AscendC::GetVecLen" in names) == (chip == "dav-3510")
    assert not [name for name in names if "sktwin" in name or "detail" in name]
