"""The fault set as a table for docs/emulation.md: `python -m emulator.faultset.table` in python/tests writes it."""

from __future__ import annotations

from pathlib import Path

from . import FAMILIES

DOCUMENT = Path(__file__).parents[4] / "docs" / "emulation.md"
BEGIN, END = "<!-- faults: begin -->\n", "<!-- faults: end -->\n"
_KINDS = {
    "out_of_bounds": "illegal memory access",
    "null": "illegal memory access, null",
    "index": "index outside of an array",
    "host_memory": "host memory in a kernel",
    "host_access": "device memory in host code",
    "freed": "memory that was given back",
    "bad_free": "wrong free",
    "misaligned": "misaligned access",
    "uninitialised": "uninitialised read",
    "race": "data race, both lines",
    "guard": "plain read before an atomic, both lines",
    "barrier": "barrier misused, both lines",
    "left_barrier": "barrier in a loop left early",
    "deadlock": "deadlock at a warp primitive",
    "mask": "warp mask misused",
    "absent_lane": "shuffle from an absent lane",
    "launch": "failed launch, and why",
    "division_by_zero": "division by zero",
    "assertion": "assertion that is false",
    "trap": "kernel that ends itself",
    "stack_overflow": "stack overflow",
    "endless": "endless loop",
    "early_access": "access before the copy has arrived, both lines",
    "overwritten": "write over what a unit still reads, both lines",
    "proxy_fence": "missing fence.proxy.async, both lines",
    "mbarrier_stuck": "mbarrier whose phase never completes, and why",
    "mbarrier_overrun": "more arrivals than the mbarrier counts",
    "mbarrier_unknown": "mbarrier that was never initialised",
    "store_unfinished": "copy that nobody waits for",
    "wgmma_fence": "missing wgmma.fence",
    "wgmma_in_flight": "sum of wgmma used before its wait",
    "cluster_exit": "shared memory of a block that has ended",
    "named_barrier": "named barrier whose count does not fit",
    "texture": "texture or surface misused, and how",
    "surface": "surface accessed outside, and where",
    "grid_barrier": "barrier of the grid not met by all",
    "waits": "cannot be scheduled (no failure)",
}


def table() -> str:
    rows = ["| Fault | Running in three orders | Memory check |", "|---|---|---|"]
    for cases in FAMILIES.values():
        for case in cases:
            kind = _KINDS[case.kind] + (", decides nothing alone" if case.uncertain else "")
            noticed = "noticed" if case.check else "not noticed"
            rows.append(f"| {case.name.replace('_', ' ')} | {noticed} | {kind} |")
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """The document with the table as it is now."""
    before, after = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:before] + table() + text[after:]


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
