"""What a line costs a GPU's memory is counted as the hardware defines it: figures that follow by arithmetic."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from costset import COSTS, N, marked_line, program
from support import in_worker, load_inline

from kernelgate.emulator import Emulation, LineCost, decode_costs
from kernelgate.tools.ncu_lines import LineReading

pytestmark = pytest.mark.drawn

_counted: dict[Path, dict[str, list[LineCost]]] = {}


def counted(cache: Path) -> dict[str, list[LineCost]]:
    """The costs of all kernels, of one process."""
    if cache in _counted:
        return _counted[cache]
    cpp, cuda = program()

    def body(emulation: Emulation) -> dict[str, list[bytes]]:
        lines = {}
        with emulation.active(), emulation.guarded():
            extension = load_inline("costs", cpp, cuda, functions=[cost.name for cost in COSTS])
            x = torch.randn(N, device="cuda")
            for cost in COSTS:
                emulation.count_costs(True)
                getattr(extension, cost.name)(x)
                lines[cost.name] = emulation.cost_lines()
        return lines

    found = in_worker(cache, body, examine=True).result()
    _counted[cache] = {name: decode_costs(lines) for name, lines in found.items()}
    return _counted[cache]


@pytest.mark.parametrize("cost", COSTS, ids=lambda cost: cost.name)
def test_a_line_costs_what_its_addresses_say(cache, cost):
    line = marked_line(cost, program()[1])
    space = "shared" if cost.ways is not None else "global"
    at_line = [
        one
        for one in counted(cache)[cost.name]
        if (one.line, one.space, one.access) == (line, space, cost.access)
    ]
    (found,) = at_line
    assert found.lanes / found.requests == cost.lanes
    if cost.sectors is not None:
        assert found.sectors / found.requests == pytest.approx(cost.sectors)
    if cost.ways is not None:
        assert found.passes / found.least_passes == cost.ways
    if cost.same is not None:
        assert found.same_address / found.requests == cost.same


@pytest.mark.parametrize(
    ("kernel", "stride"),
    [("coalesced_load", 4), ("reversed", 4), ("stride_8", 32), ("vector_load", 16), ("broadcast", 0)],
)
def test_how_far_neighbouring_lanes_lie_apart(cache, kernel, stride):
    (found,) = [one for one in counted(cache)[kernel] if (one.space, one.access) == ("global", "load")]
    assert found.stride == stride


def test_bytes_that_lanes_use_twice_are_asked_for_once(cache):
    (found,) = [one for one in counted(cache)["broadcast"] if one.access == "load"]
    assert (found.requests, found.sectors, found.asked_bytes) == (128, 128, 128 * 4)


def test_what_cannot_be_read_is_left_out():
    assert decode_costs([b"", b"{}", b'{"kernel":3}', b"\xff"]) == []


def test_lines_of_ncu_are_those_of_the_kernels_beside_what_was_counted(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "bench"))
    import costs

    monkeypatch.setattr(sys, "path", [*sys.path])
    cuda = program()[1]
    cost = next(cost for cost in COSTS if cost.name == "stride_8")
    line = marked_line(cost, cuda)
    text = cuda.split("\n")[line - 1].strip()
    # load_inline puts three lines before the program's.
    load = LineReading("k", "/tmp/cuda.cu", line + 3, text, "global", "load", 128, 4096, 4096, 512, 0, 0)
    elsewhere = LineReading("k", "/usr/include/a.hpp", line + 3, "a", "global", "load", 1, 1, 4, 1, 0, 0)
    by_ncu = costs.lines_of([load, elsewhere])
    assert {name: lines for name, lines in by_ncu.items() if lines["global"] or lines["shared"]} == {
        "stride_8": {"global": {str(line): 3584}, "shared": {}}
    }
    ours = {"stride_8": {"global": {str(line): 3584, str(line - 1): 40}, "shared": {}}}
    (row,) = costs.worst_lines(ours, by_ncu)
    assert row.same == "yes"
    (row,) = costs.worst_lines({"stride_8": {"global": {str(line - 1): 40}, "shared": {}}}, by_ncu)
    assert row.same == "no"
    with pytest.raises(RuntimeError, match="the program has"):
        costs.lines_of([replace(load, line=line + 2)])
