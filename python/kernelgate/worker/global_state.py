"""What a program should leave as it is in the process that it runs in, and what it did to it.

The worker looks before it loads a candidate, after every call, and in full when the judge asks. It sees honest
carelessness, and the usual tricks; native code in the same process could hide from it. Only what no short computation
shows has a name here; and of functions that a notebook's later cells call, whether one is replaced or changed in place.
Not here: what other modules compute by then (`behaviour`).
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import os
import random
import re
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from operator import is_
from pathlib import Path
from typing import Any

import torch
from torch.nn.modules import module as module_hooks

_TORCH = Path(torch.__file__).parent
# What the worker, the judge and a notebook's cells call between two calls of a program.
_CALLED_ALWAYS = {
    "the built-in function ": builtins,
    "torch.Tensor.": torch.Tensor,
    "torch.": torch,
    "torch.UntypedStorage.": torch.UntypedStorage,
    "torch.nn.functional.": torch.nn.functional,
    "torch.cuda.": torch.cuda,
    "time.": time,
}
# Watched if they are loaded, with their classes: importing NumPy would take longer than a call.
_MODULES = (
    "torch.nn", "torch.nn.init", "torch.autograd", "torch.linalg", "copy", "json", "math", "os", "pickle", "random",
    "statistics", "numpy",
)  # fmt: skip
_CONSTANTS = (torch.dtype, torch.layout, torch.memory_format, int, float, complex)
_FUNCTIONS = (property, staticmethod, classmethod, types.ModuleType)
# torch.compile puts wrappers of its own around these, once it is used.
_WRAPPED_BY_COMPILE = ("manual_seed", "__init__", "__setstate__")


class Functions:
    """The functions, classes and constants as they were when this was made."""

    def __init__(self) -> None:
        self._spaces = {prefix: (space, dict(vars(space))) for prefix, space in _spaces()}
        entries = (one for _space, entries in self._spaces.values() for one in entries.values())
        functions = {id(one): one for one in entries if isinstance(one, types.FunctionType)}
        self._parts = [(one, one.__code__, one.__defaults__) for one in functions.values()]

    def replaced_at_hand(self) -> list[str]:
        """Names of those that are called all the time and have been replaced. Takes a fraction of a millisecond."""
        return self._replaced(_CALLED_ALWAYS)

    def changed(self) -> list[str]:
        """All that have been replaced or changed inside, in words."""
        words = self._replaced(self._spaces)
        for space, _before in self._spaces.values():
            if isinstance(space, types.ModuleType) and sys.modules.get(space.__name__) is not space:
                words.append(f"the module {space.__name__} is replaced")
        for one, code, defaults in self._parts:
            if one.__code__ is not code or one.__defaults__ is not defaults:
                words.append(f"{one.__module__}.{one.__qualname__} has other code"[:300])
        return words

    def _replaced(self, prefixes: dict[str, Any]) -> list[str]:
        return [f"{prefix}{name} is replaced" for prefix in prefixes for name in _others(*self._spaces[prefix])]


def _spaces() -> Iterator[tuple[str, Any]]:
    """Modules and classes, each by the beginning of its names."""
    yield from _CALLED_ALWAYS.items()
    # In emulation these are classes of its own, which lie in no module of PyTorch's.
    yield from (("torch.cuda.Event.", torch.cuda.Event), ("torch.cuda.Stream.", torch.cuda.Stream))
    for name in _MODULES:
        module = sys.modules.get(name)
        if module is None:
            continue
        yield f"{name}.", module
        for found in list(vars(module).values()):
            if isinstance(found, type) and str(vars(found).get("__module__")).startswith(name.partition(".")[0]):
                yield f"{found.__module__}.{found.__qualname__}.", found


def _others(space: Any, before: dict[str, Any]) -> Iterator[str]:
    """Names whose function, class or constant is another one now."""
    now = vars(space)
    if all(map(is_, map(now.get, before), before.values())):
        return
    for name, was in before.items():
        found = now.get(name)
        # A lone underscore is the last value of an interactive session.
        if found is was or name == "_":
            continue
        constant = type(was) in _CONSTANTS and (type(found), found) != (type(was), was)
        if not (constant or callable(was) or isinstance(was, _FUNCTIONS)):
            continue
        wrapped = getattr(found, "__wrapped__", None) is was or name in _WRAPPED_BY_COMPILE
        if not (wrapped and _is_pytorchs(found)):  # an optimizer wraps its class as well
            yield name


def _is_pytorchs(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and Path(code.co_filename).is_relative_to(_TORCH)


_LIBC = ctypes.CDLL(None)
_INTERVAL_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
# A program may choose what to build for, with what, and where to keep it.
_OF_BUILDS = re.compile(
    r"(TORCH_CUDA_ARCH_LIST|TORCH_EXTENSIONS_DIR|TORCH_DONT_CHECK_COMPILER_ABI|TORCH_NVCC_FLAGS|MAX_JOBS|VERBOSE"
    r"|CC|CXX|CUDAHOSTCXX|CUDA_HOME|CUDA_PATH|CUDA_ROOT|CUDACXX|CUDA_CACHE_\w+|CUDA_MODULE_LOADING|NVCC\w*|NINJA\w*"
    r"|CMAKE\w*|CCACHE\w*|C(PLUS)?_INCLUDE_PATH|CPATH|LIBRARY_PATH|LD_LIBRARY_PATH|PATH|\w*(CFLAGS|CXXFLAGS|LDFLAGS)"
    r"|CUTLASS\w*|TORCH_LOGS\w*|TORCHINDUCTOR_\w+|TRITON_\w+|CUPY_\w+|TMPDIR|PYTHON\w+|PYTORCH_NVML\w+"
    r"|TORCH_SHOW_CPP_STACKTRACES|TORCH_CUDA_SANITIZER|COLUMNS|LINES|__KMP_\w+|KMP_INIT_AT_FORK)$"
)
_CUDA, _CUDNN, _AUTOGRAD = torch.backends.cuda, torch.backends.cudnn, torch._C._autograd
# What differs is named with its values, unless these are a tuple, whose parts say nothing to a person.
_SETTINGS: dict[str, Callable[[], Any]] = {
    "torch.backends.cuda.matmul.allow_tf32": lambda: _CUDA.matmul.allow_tf32,
    "torch.backends.cudnn.allow_tf32": lambda: _CUDNN.allow_tf32,
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction": (
        lambda: _CUDA.matmul.allow_fp16_reduced_precision_reduction
    ),
    "the float32 matmul precision": torch.get_float32_matmul_precision,
    "torch.backends.cudnn.benchmark": lambda: _CUDNN.benchmark,
    "torch.backends.cudnn.deterministic": lambda: _CUDNN.deterministic,
    "torch.backends.cudnn.enabled": lambda: _CUDNN.enabled,
    "the set of kernels for attention": lambda: (
        *(_CUDA.flash_sdp_enabled(), _CUDA.mem_efficient_sdp_enabled()),
        *(_CUDA.math_sdp_enabled(), _CUDA.cudnn_sdp_enabled()),
    ),
    "deterministic algorithms": torch.are_deterministic_algorithms_enabled,
    "the default dtype": torch.get_default_dtype,
    "the default device": torch.get_default_device,
    # The usual stream is 0, also if CUDA has not begun. In emulation there are no streams.
    "the current CUDA stream": lambda: (torch.cuda._initialized and torch.cuda.current_stream().cuda_stream,),
    "autocast": torch.is_autocast_enabled,
    "autocast on the CPU": lambda: torch.is_autocast_enabled("cpu"),
    "the gradient mode": torch.is_grad_enabled,
    "inference mode": torch.is_inference_mode_enabled,
    "anomaly detection": torch.is_anomaly_enabled,
    "the number of threads": torch.get_num_threads,
    "the treatment of tensors that are saved for a gradient": lambda: (
        _AUTOGRAD._top_saved_tensors_default_hooks(False),
        _AUTOGRAD._saved_tensors_hooks_get_disabled_error_message(),
    ),
    "the number of modes that see every call": lambda: (
        torch._C._len_torch_function_stack() + torch._C._len_torch_dispatch_stack()
    ),
    "the number of hooks on every module": lambda: sum(
        len(hooks) for name, hooks in vars(module_hooks).items() if name.startswith("_global_") and "hooks" in name
    ),
    "the current directory": os.getcwd,
    "standard output": lambda: (sys.stdout, sys.stderr, _opened(1), _opened(2)),
}


def _opened(descriptor: int) -> tuple[int, int]:
    """What a descriptor leads to, by device and file; zeros if it is closed."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _settings() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, read in _SETTINGS.items():
        found[name] = None
        # AttributeError if this version has no such setting; RuntimeError as PyTorch has it if its two ways of setting
        # TF32 have been mixed.
        with contextlib.suppress(AttributeError, RuntimeError, OSError):
            found[name] = read()
    return found


def _variables() -> dict[str, str]:
    """The environment as native code sees it, which need not be what os.environ says; both where they differ."""
    found: dict[str, Any] = {}
    entries = ctypes.POINTER(ctypes.c_char_p).in_dll(_LIBC, "environ")
    for number in range(1 << 16):
        entry = entries[number] if entries else None
        if entry is None:
            break
        name, _, value = os.fsdecode(entry).partition("=")
        found[name] = value
    for name, value in os.environ.items():
        if found.get(name) != value:
            found[name] = f"{value}\n{found.get(name)}"
    return {name: value for name, value in found.items() if not _OF_BUILDS.match(name)}


def _handlers() -> dict[str, Any]:
    return {signal.Signals(n).name: signal.getsignal(n) for n in signal.valid_signals() if n < signal.SIGRTMIN}


class Watch:
    """What was there when it was made."""

    def __init__(self) -> None:
        self._settings, self._variables, self._handlers = _settings(), _variables(), _handlers()
        self._functions = Functions()
        self._seen: dict[str, None] = {}
        self.seeded()

    def seeded(self) -> None:
        """The worker has set the random seed itself."""
        self._seed = torch.initial_seed()

    def seeds(self) -> tuple[int, int] | None:
        """The random seed now and before, if the program has set it."""
        now = torch.initial_seed()
        return (now, self._seed) if now != self._seed else None

    def look(self, left_open: Sequence[str] = ()) -> None:
        """Notes which functions were replaced, before any is called: a replacement may undo itself. `left_open`: modes
        that a call has left changed, in words."""
        self._seen.update(dict.fromkeys([*self._functions.replaced_at_hand(), *left_open]))

    def changed(self) -> list[str]:
        """What differs now, or did after a call, in words."""
        settings = [
            f"{name} has changed" if isinstance(was, tuple) else f"{name} is {now!s:.60} instead of {was!s:.60}"
            for name, was, now in _differing(self._settings, _settings())
        ]
        variables = [
            f"the variable {name} is {'gone' if now is None else 'set'}"[:200]
            for name, _was, now in _differing(self._variables, _variables())
        ]
        handlers = [
            f"the handler of {name} is another one" for name, _was, _now in _differing(self._handlers, _handlers())
        ]
        return list(dict.fromkeys([*settings, *variables, *handlers, *self._seen, *self._functions.changed()]))


def _differing(before: dict[str, Any], now: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    names = sorted(before.keys() | now.keys())
    return [(name, before.get(name), now.get(name)) for name in names if before.get(name) != now.get(name)]


def _timers() -> list[str]:
    """The timers of this process that are running, in words."""
    found = ["a timer"] if any(signal.getitimer(which)[0] > 0 for which in _INTERVAL_TIMERS) else []
    try:
        return found + ["a timer of the system"] * Path("/proc/self/timers").read_text().count("ID:")
    except OSError:  # the system does not say
        return found


def running() -> dict[str, str]:
    """The threads, child processes and timers of this process, by an id each, in words."""
    found = {f"thread {t.native_id}": f"the thread {t.name!r}"[:200] for t in threading.enumerate()}
    for task in Path("/proc/self/task").iterdir():
        found.setdefault(f"thread {task.name}", "a native thread")
        children = task / "children"
        try:
            pids = children.read_text().split()
        except OSError:  # the thread has ended meanwhile
            continue
        for pid in pids:
            if not has_ended(int(pid)):
                found[f"process {pid}"] = "a child process"
    for number, words in enumerate(_timers()):
        found[f"timer {number}"] = words
    return found


def has_ended(pid: int) -> bool:
    """Whether a process has ended, and only its parent has not collected it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")
    except OSError:
        return True


_get_state = torch._C.Generator.get_state
_python_state = random.getstate

RandomState = dict[str, object]


def random_state() -> RandomState:
    """The states at this moment."""
    generators = [torch.default_generator, *torch.cuda.default_generators]
    states: RandomState = {f"torch {number}": _bytes(_get_state(one)) for number, one in enumerate(generators)}
    states["python"] = _python_state()
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        states["numpy"] = _comparable(numpy.get_state(legacy=False))
    return states


def has_drawn(before: RandomState) -> bool:
    """Whether a generator that was in use `before` has drawn or been seeded since, and not been put back."""
    now = random_state()
    return any(now.get(name, state) != state for name, state in before.items())


def _comparable(state: object) -> object:
    """A state of NumPy's, whose arrays do not compare to one truth; which ones it has depends on the generator."""
    if isinstance(state, dict):
        return {key: _comparable(value) for key, value in state.items()}
    return state.tobytes() if hasattr(state, "tobytes") else state


def _bytes(state: torch.Tensor) -> bytes:
    return ctypes.string_at(state.data_ptr(), state.numel())
