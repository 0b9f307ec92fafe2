"""Settings and functions of PyTorch that a program should leave as they are, and what it did to them.

The worker looks before it loads a candidate and again when the judge asks. It sees honest carelessness, and the usual
tricks; native code in the same process could hide from it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

_SETTINGS: dict[str, Callable[[], Any]] = {
    "torch.backends.cuda.matmul.allow_tf32": lambda: torch.backends.cuda.matmul.allow_tf32,
    "torch.backends.cudnn.allow_tf32": lambda: torch.backends.cudnn.allow_tf32,
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction": (
        lambda: torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction
    ),
    "the float32 matmul precision": torch.get_float32_matmul_precision,
    "torch.backends.cudnn.benchmark": lambda: torch.backends.cudnn.benchmark,
    "torch.backends.cudnn.deterministic": lambda: torch.backends.cudnn.deterministic,
    "torch.backends.cudnn.enabled": lambda: torch.backends.cudnn.enabled,
    "deterministic algorithms": torch.are_deterministic_algorithms_enabled,
    "the default dtype": torch.get_default_dtype,
    "the default device": torch.get_default_device,
    "autocast": torch.is_autocast_enabled,
    "the gradient mode": torch.is_grad_enabled,
    "anomaly detection": torch.is_anomaly_enabled,
    "the number of threads": torch.get_num_threads,
    "the random seed": torch.initial_seed,
    "flushing of subnormal numbers": lambda: float(torch.tensor([1e-40]) * 1.0) == 0.0,
}

_FUNCTIONS: dict[str, Callable[[], Any]] = {
    "torch.cuda.synchronize": lambda: torch.cuda.synchronize,
    "torch.cuda.Event": lambda: torch.cuda.Event,
    "torch.cuda.Stream": lambda: torch.cuda.Stream,
    "torch.cuda.current_stream": lambda: torch.cuda.current_stream,
    "torch.allclose": lambda: torch.allclose,
    "torch.equal": lambda: torch.equal,
    "torch.empty_like": lambda: torch.empty_like,
    "torch.manual_seed": lambda: torch.manual_seed,
    "torch.nn.functional.leaky_relu": lambda: F.leaky_relu,
    "torch.nn.functional.linear": lambda: F.linear,
    "torch.nn.Module.__call__": lambda: torch.nn.Module.__call__,
    "torch.Tensor.__eq__": lambda: torch.Tensor.__eq__,
    "torch.Tensor.copy_": lambda: torch.Tensor.copy_,
    "torch.Tensor.data_ptr": lambda: torch.Tensor.data_ptr,
    "torch.testing.assert_close": lambda: torch.testing.assert_close,
}


class Watch:
    """What was there when it was made."""

    def __init__(self) -> None:
        self._settings = {name: _value(read) for name, read in _SETTINGS.items()}
        self._functions = {name: read() for name, read in _FUNCTIONS.items()}

    def seeded(self) -> None:
        """The worker has set the random seed itself."""
        self._settings["the random seed"] = torch.initial_seed()

    def changed(self) -> list[str]:
        """What is otherwise now, in words."""
        words = []
        for name, before in self._settings.items():
            now = _value(_SETTINGS[name])
            if now != before:
                words.append(f"{name} is {now!s:.60} instead of {before!s:.60}")
        for name, function in self._functions.items():
            if _FUNCTIONS[name]() is not function:
                words.append(f"{name} is replaced")
        return words


def _value(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except RuntimeError:  # as PyTorch has it where its two ways of setting TF32 have been mixed
        return "unknown"


def running() -> dict[str, str]:
    """The threads and child processes of this process, by an id each, in words."""
    found = {f"thread {t.native_id}": f"the thread {t.name!r}"[:200] for t in threading.enumerate()}
    for task in Path("/proc/self/task").iterdir():
        found.setdefault(f"thread {task.name}", "a native thread")
        children = task / "children"
        try:
            pids = children.read_text().split()
        except OSError:  # the thread has ended meanwhile
            continue
        for pid in pids:
            found[f"process {pid}"] = "a child process"
    return found
