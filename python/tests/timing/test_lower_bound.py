"""The least time of a problem: every byte once, every operation once, at the slower of the two peak rates."""

from __future__ import annotations

import pytest
import torch

from kernelgate.timing.peak_rates import (
    PeakRates,
    Work,
    counted_flops,
    lower_bound_of,
    matrix_peak,
    nbytes,
    vendor,
)

# What an H200 gave: bench/results/h200.
H200 = PeakRates(copy=4.24e12, fp32=64.5e12, tf32=416e12, fp16=763e12, bf16=794e12)


def test_bytes_are_counted_once() -> None:
    x = torch.zeros(8, 16)
    assert nbytes([x, 3, "no tensor", torch.zeros(4, dtype=torch.float16)]) == 8 * 16 * 4 + 8
    assert nbytes([x[:1].expand(8, 16)]) == 16 * 4  # an expanded row lies in memory once
    assert nbytes([torch.zeros(0, 5)]) == 0


def test_an_elementwise_problem_is_bound_by_memory() -> None:
    work = Work(bytes=2 * 4096 * 393216 * 4, flops=0)
    seconds, peak = lower_bound_of(work, H200, torch.float32)
    assert peak == "device copy"
    assert seconds == pytest.approx(3.039e-3, rel=1e-3)


@pytest.mark.drawn
def test_a_product_is_bound_by_the_fastest_way_to_its_accuracy() -> None:
    flops = counted_flops(lambda: torch.zeros(64, 32) @ torch.zeros(32, 16))
    assert flops == 2 * 64 * 32 * 16
    work = Work(bytes=336e6, flops=2 * 1024 * 8192 * 8192)  # type: ignore[arg-type]
    assert lower_bound_of(work, H200, torch.float32)[1] == "FP16, three products"
    assert lower_bound_of(work, H200, torch.float16) == (work.flops / H200.fp16, "FP16")
    assert matrix_peak(PeakRates(copy=1.0, fp32=20e12, tf32=0, fp16=40e12, bf16=0), torch.float32)[1] == "fp32"


def test_devices_are_known_by_the_name_that_the_driver_gives_them() -> None:
    h200, a100 = vendor("NVIDIA H200"), vendor("NVIDIA A100-SXM4-80GB")
    assert h200 is not None and h200.memory == 4.8e12
    assert a100 is not None and a100.memory == 2.039e12
    assert vendor("NVIDIA GeForce RTX 4090") is not None


@pytest.mark.parametrize(
    "name",
    [
        "NVIDIA GeForce GTX 1080",
        "NVIDIA GH200 480GB",
        "NVIDIA H200 NVL",
        "NVIDIA A100 80GB PCIe",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
    ],
)
def test_a_device_of_a_like_name_is_not_taken_for_a_known_one(name: str) -> None:
    assert vendor(name) is None
