"""Theoretical occupancy, against what NVIDIA's own calculator says of the same launches."""

from __future__ import annotations

import pytest

from kernelgate.profiling.occupancy import occupancy


@pytest.mark.parametrize(
    ("arch", "threads", "registers", "shared", "blocks", "share", "limit"),
    [
        ("sm_80", 128, 16, 0, 16, 1.0, ""),
        ("sm_80", 256, 64, 0, 4, 0.5, "registers"),
        ("sm_80", 256, 255, 0, 1, 0.125, "registers"),
        ("sm_80", 256, 32, 160 << 10, 1, 0.125, "shared memory"),
        ("sm_80", 32, 16, 0, 32, 0.5, "blocks"),
        ("sm_75", 256, 32, 0, 4, 1.0, ""),
        ("sm_75", 256, 32, 64 << 10, 1, 0.25, "shared memory"),
        ("sm_70", 1024, 32, 0, 2, 1.0, ""),
        ("sm_86", 1024, 32, 0, 1, 32 / 48, "threads"),
        ("sm_90", 384, 168, 193 << 10, 1, 12 / 64, "registers"),
    ],
)
def test_what_limits_a_launch(
    arch: str, threads: int, registers: int, shared: int, blocks: int, share: float, limit: str
) -> None:
    found = occupancy(arch, threads, registers, shared)
    assert found is not None
    assert (found.blocks, found.limit) == (blocks, limit)
    assert found.share == pytest.approx(share)


def test_what_does_not_fit_or_is_not_known_has_none() -> None:
    assert occupancy("sm_80", 1024, 128, 0) is None
    assert occupancy("sm_80", 128, 32, 200 << 10) is None
    assert occupancy("sm_35", 128, 32, 0) is None
    assert occupancy("sm_90a", 128, 16, 0) == occupancy("sm_90", 128, 16, 0)
