"""Settings and functions of the process that a program should leave as they are, and what it did to them.

The worker looks before it loads a candidate and again when the judge asks. It sees honest carelessness, and the usual
tricks; native code in the same process could hide from it.
"""

from __future__ import annotations

import builtins
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.modules import module as module_hooks

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
    "inference mode": torch.is_inference_mode_enabled,
    "anomaly detection": torch.is_anomaly_enabled,
    "the number of threads": torch.get_num_threads,
    "the random seed": torch.initial_seed,
    "flushing of subnormal numbers": lambda: float(torch.tensor([1e-40]) * 1.0) == 0.0,
    "the number of modes that see every call": lambda: (
        torch._C._len_torch_function_stack() + torch._C._len_torch_dispatch_stack()
    ),
    "the number of hooks on every module": lambda: sum(
        len(getattr(module_hooks, name, ()))
        for name in dir(module_hooks)
        if name.startswith("_global_") and "hooks" in name
    ),
}

# Variables that change how libraries compute; what to build for and how is the program's own affair.
_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
)

# torch.compile puts wrappers of its own around these, once it is used.
_WRAPPED_BY_COMPILE = {"torch.manual_seed", "torch.nn.Module.__init__"}


def _namespaces() -> dict[str, Any]:
    return {
        "the built-in function": builtins,
        "time.": time,
        "statistics.": statistics,
        "torch.": torch,
        "torch.cuda.": torch.cuda,
        "torch.cuda.Event.": torch.cuda.Event,
        "torch.cuda.Stream.": torch.cuda.Stream,
        "torch.testing.": torch.testing,
        "torch.Tensor.": torch.Tensor,
        "torch.nn.functional.": F,
    }


def _functions() -> Iterator[tuple[str, Any]]:
    """Every function and class that another program may call, by name."""
    for prefix, space in _namespaces().items():
        # A lone underscore is the last value of an interactive session.
        for name, value in list(vars(space).items()):
            if name != "_" and (callable(value) or isinstance(value, property | staticmethod | classmethod)):
                yield f"{prefix} {name}" if " " in prefix else f"{prefix}{name}", value
    for name, value in list(vars(torch.nn).items()):
        if isinstance(value, type) and issubclass(value, torch.nn.Module):
            yield f"torch.nn.{name}", value
            for part in ("__init__", "__call__", "forward"):
                if part in vars(value):
                    yield f"torch.nn.{name}.{part}", vars(value)[part]


class Watch:
    """What was there when it was made."""

    def __init__(self) -> None:
        self._settings = {name: _value(read) for name, read in _SETTINGS.items()}
        self._variables = {name: os.environ.get(name) for name in _VARIABLES}
        self._functions = dict(_functions())

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
        for name, was in self._variables.items():
            if os.environ.get(name) != was:
                words.append(f"the variable {name} is set")
        functions = dict(_functions())
        for name, function in self._functions.items():
            now = functions.get(name)
            if now is not function and not (name in _WRAPPED_BY_COMPILE and _is_pytorchs(now)):
                words.append(f"{name} is replaced")
        return words


def _is_pytorchs(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and Path(code.co_filename).is_relative_to(Path(torch.__file__).parent)


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
