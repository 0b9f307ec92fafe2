"""What the driver says of a device; without a driver, why it says nothing."""

from __future__ import annotations

from kernelgate.timing.nvml import Watch


def test_a_watch_that_reads_nothing_says_why_and_is_no_error() -> None:
    watch = Watch.of("GPU-of-nobody")
    assert watch.silent.startswith(("NVML says", "pip install"))
    watch.read({1})
    assert watch == Watch(silent=watch.silent)
