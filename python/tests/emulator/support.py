"""A piece of a test in a process of its own, as a worker runs a candidate, and programs to run there."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.fx.experimental.symbolic_shapes  # else each forked process imports it, for seconds

from kernelgate.emulator import Emulation, Fault, decode_fault, install

DEADLINE_S = 240  # a build with all of PyTorch's headers takes a minute where other work goes on beside it


@dataclass(frozen=True)
class Outcome:
    value: Any
    error: str | None  # "TypeName: message"
    fault: Fault | None
    status: int
    findings: tuple[bytes, ...] = ()

    def result(self) -> Any:
        assert self.error is None and self.fault is None and not self.findings, self
        return self.value


def in_worker(
    cache: Path, body: Callable[[Emulation], Any], *, examine: bool = False, launch_limit_s: float = 0.0
) -> Outcome:
    """`body`, in a forked process with emulation installed; its value travels back pickled."""
    value_read, value_write = os.pipe()
    fault_read, fault_write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(DEADLINE_S)
        torch.set_num_threads(1)  # a forked pool of threads has no threads
        emulation = install(cache=cache, fault_fd=fault_write, examine=examine, launch_limit_s=launch_limit_s)
        try:
            # Memory that is none of the device's would be found, so that all of it has to be.
            with emulation.guarded() if examine else contextlib.nullcontext():
                value_or_error: tuple[str, Any] = ("value", body(emulation))
        except BaseException as exc:
            traceback.print_exc()
            value_or_error = ("error", f"{type(exc).__name__}: {exc}")
        with os.fdopen(value_write, "wb") as out:
            pickle.dump((*value_or_error, emulation.finding_lines() if examine else []), out)
        os._exit(0)
    os.close(value_write)
    os.close(fault_write)
    with os.fdopen(value_read, "rb") as values, os.fdopen(fault_read, "rb") as faults:
        pickled, last_words = values.read(), faults.read()
    _, status = os.waitpid(child, 0)
    kind, answer, findings = pickle.loads(pickled) if pickled else ("nothing", None, [])
    *earlier, last = last_words.splitlines() or [b""]
    return Outcome(
        answer if kind == "value" else None,
        answer if kind == "error" else None,
        decode_fault(last) if last else None,
        os.waitstatus_to_exitcode(status),
        (*earlier, *findings),
    )


def load_inline(*args: Any, **kwargs: Any) -> Any:
    """torch's load_inline, looked up late: `install` has put its own in its place."""
    import torch.utils.cpp_extension

    return torch.utils.cpp_extension.load_inline(*args, **kwargs)


# `y = f(x)` for float x; KERNEL and LAUNCH make the difference.
HEAD = """#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
"""


def one_to_one(
    kernel: str, launch: str = "k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"
) -> str:
    """CUDA source of `f(x)`; the kernel's first line is line 3."""
    return (
        f"{HEAD}{kernel}\n"
        f"torch::Tensor f(torch::Tensor x) {{ auto y = torch::empty_like(x); int n = x.numel(); {launch}\n"
        "C10_CUDA_KERNEL_LAUNCH_CHECK(); return y; }\n"
    )


def load_one_to_one(kernel: str, **launch: str) -> Any:
    return load_inline(
        "program", "torch::Tensor f(torch::Tensor x);", one_to_one(kernel, **launch), functions=["f"]
    )


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal bit for bit, so that -0 is not 0; a NaN equals any NaN, as hardware chooses its payload."""
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    if a.shape != b.shape or a.dtype != b.dtype or not torch.equal(a.isnan(), b.isnan()):
        return False
    kind = kinds[a.element_size()]
    return torch.equal(_without_nan(a).view(kind), _without_nan(b).view(kind))


def _without_nan(t: torch.Tensor) -> torch.Tensor:
    return torch.where(t.isnan(), torch.zeros_like(t), t).contiguous()
