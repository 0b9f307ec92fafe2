"""What does not fit together of driver, CUDA toolkit, PyTorch and GPU, and what would."""

from __future__ import annotations

import pytest

from kernelgate.commands.versions import Versions, misfits

H200 = Versions("580.95.05", "13.0", "13.0", "13.0", ("sm_75", "sm_80", "sm_90", "compute_120"), ("sm_90",))
CASES = {
    "an H200 of today": (H200, []),
    "nothing known": (Versions(), []),
    "an old driver": (
        Versions("535.104", "12.2", "", "13.0", ("sm_80", "sm_90"), ("sm_90",)),
        [("PyTorch for CUDA 13.0 needs driver 580 or newer; this is 535.104",
          "Install driver 580 or newer, or a PyTorch built for CUDA 12")],
    ),
    "a V100 under CUDA 13": (
        Versions("580.95", "13.0", "13.0", "13.0", ("sm_75", "sm_80"), ("sm_70",)),
        [("This PyTorch has no kernels for sm_70", "Install a PyTorch built for CUDA 12.6"),
         ("nvcc 13.0 does not compile for sm_70", "Set CUDA_HOME to a toolkit of CUDA 12.9")],
    ),
    "a toolkit of another major version": (
        Versions("580.95", "13.0", "12.4", "13.0", ("sm_90",), ("sm_90",)),
        [("nvcc is of CUDA 12.4 and PyTorch of CUDA 13.0: load_inline refuses to build",
          "Set CUDA_HOME to a toolkit of CUDA 13, or install a PyTorch built for CUDA 12")],
    ),
    "a toolkit older than the GPU": (
        Versions("580.95", "13.0", "12.4", "12.4", ("sm_90", "compute_90"), ("sm_120",)),
        [("nvcc 12.4 does not know sm_120", "Set CUDA_HOME to a toolkit of CUDA 12.8 or newer")],
    ),
    "PTX newer than the driver": (
        Versions("550.54", "12.4", "12.8", "12.6", ("sm_80",), ("sm_86",)),
        [("nvcc 12.8 is newer than the driver's CUDA 12.4: PTX of it does not run",
          "Build for the GPU itself, without PTX: set TORCH_CUDA_ARCH_LIST=8.6, or install a newer driver")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("versions", "expected"), CASES.values(), ids=CASES.keys())
def test_what_will_not_run_is_said_with_what_would(versions: Versions, expected: list[tuple[str, str]]) -> None:
    assert [(each.says, each.next_step) for each in misfits(versions)] == expected
