"""Settings of the process that decide how others compute, each by a name for people.

In: PyTorch, the environment, signals and timers of this process. Out: a snapshot, and words for what differs from it.
"""

from __future__ import annotations

import codecs
import copy
import copyreg
import ctypes
import decimal
import functools
import gc
import locale
import logging
import multiprocessing
import os
import re
import resource
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.nn.modules import module as module_hooks

Read = Callable[[], Any]


def _mask() -> int:
    """The system reports it only when it is set."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _opened(descriptor: int) -> tuple[int, int]:
    """What a descriptor leads to, by device and file; zeros where it is closed."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


class _Unnamed(tuple[Any, ...]):
    """Numbers that tell a person nothing: only whether they are others matters."""


_LIBC = ctypes.CDLL(None)
_ERRORS = ("strict", "ignore", "replace", "xmlcharrefreplace", "backslashreplace", "surrogateescape")
_USUAL_IN_NUMPY = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_USUAL_PRINTING = {"precision": 8, "threshold": 1000, "suppress": False, "linewidth": 75, "formatter": None}
_FINDERS = ((sys.meta_path, tuple(sys.meta_path)), (sys.path_hooks, tuple(sys.path_hooks)))
_LIMITS = tuple(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))
_NAMED: dict[str, Read] = {
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
    "the current CUDA stream": lambda: _Unnamed((_current_stream(),)),
    "autocast": torch.is_autocast_enabled,
    "autocast on the CPU": lambda: torch.is_autocast_enabled("cpu"),
    "the gradient mode": torch.is_grad_enabled,
    "inference mode": torch.is_inference_mode_enabled,
    "anomaly detection": torch.is_anomaly_enabled,
    "the number of threads": lambda: (torch.get_num_threads(), torch.get_num_interop_threads()),
    "flushing of subnormal numbers": lambda: float(torch.tensor([1e-40]) * 1.0) == 0.0,
    "the direction of rounding": lambda: _LIBC.fegetround() if hasattr(_LIBC, "fegetround") else 0,
    "what autograd does": lambda: (
        torch._C._is_multithreading_enabled(),
        torch._C._is_view_replay_enabled(),
        torch._C._is_fwd_grad_enabled(),
    ),
    "what happens to tensors that are saved for a gradient": lambda: _saved_tensor_hooks(),
    "how a module takes other parameters": lambda: (
        torch.__future__.get_swap_module_params_on_conversion(),
        torch.__future__.get_overwrite_module_params_on_conversion(),
    ),
    "how torch.load reads": lambda: (
        torch.serialization.get_default_load_endianness(),
        torch.serialization.get_default_mmap_options(),
    ),
    "which warnings PyTorch repeats": torch.is_warn_always_enabled,
    "how torch.compile works": lambda: _of_compile(),
    "the number of modes that see every call": lambda: (
        torch._C._len_torch_function_stack() + torch._C._len_torch_dispatch_stack()
    ),
    "the number of hooks on every module": lambda: sum(
        len(getattr(module_hooks, name, ()))
        for name in dir(module_hooks)
        if name.startswith("_global_") and "hooks" in name
    ),
    "garbage collection": lambda: (gc.isenabled(), gc.get_threshold(), len(gc.callbacks)),
    "the tracing function": lambda: _Unnamed(
        (*map(id, (sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile())),)
    ),
    "the number of timers that are running": lambda: len(timers()),
    "the current directory": os.getcwd,
    "the mask of new files": _mask,
    "the priority of the process": lambda: os.getpriority(os.PRIO_PROCESS, 0),
    "the locale": lambda: locale.setlocale(locale.LC_ALL),
    "the recursion limit": sys.getrecursionlimit,
    "the interval between threads": sys.getswitchinterval,
    "what is called for an exception": lambda: _Unnamed(
        (*map(id, (sys.excepthook, sys.unraisablehook, threading.excepthook)),)
    ),
    "what shows a result": lambda: _Unnamed((id(sys.displayhook),)),
    "how many lines a traceback has": lambda: getattr(sys, "tracebacklimit", 1000),
    "what codecs do on errors": lambda: _Unnamed((*map(id, map(codecs.lookup_error, _ERRORS)),)),
    "how classes of Python and PyTorch are copied and pickled": lambda: _Unnamed(_pickling()),
    "how processes are started": lambda: (
        multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]
    ),
    "how processes share tensors": torch.multiprocessing.get_sharing_strategy,
    "how long sockets wait": socket.getdefaulttimeout,
    "the set of floating-point errors that end the process": (
        lambda: _LIBC.fegetexcept() if hasattr(_LIBC, "fegetexcept") else 0
    ),
    "the set of signals that are held back": lambda: sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "the set of processors that may be used": lambda: sorted(os.sched_getaffinity(0)),
    "the stack of new threads": threading.stack_size,
    "how long a number may be as text": sys.get_int_max_str_digits,
    "the list of warnings that raise": lambda: [str(rule) for rule in warnings.filters if rule[0] == "error"],
    "standard output": lambda: _Unnamed(
        (id(sys.stdout), id(sys.stderr), _opened(1), _opened(2), *_replaced_in(sys.stdout, sys.stderr))
    ),
    "what logging lets pass": lambda: logging.root.manager.disable,
    "decimal arithmetic": lambda: str(decimal.getcontext()).partition(", flags=")[0],
    "how PyTorch prints tensors": lambda: str(torch._tensor_str.PRINT_OPTS),
    "what NumPy does on errors": lambda: (
        sys.modules["numpy"].geterr() if "numpy" in sys.modules else _USUAL_IN_NUMPY
    ),
    "how NumPy prints arrays": lambda: _numpy_printing(),
    "what finds modules": lambda: _Unnamed(
        (*(one in where for where, those in _FINDERS for one in those), *_finders_of_the_program())
    ),
    "the limits of the process": lambda: tuple(map(resource.getrlimit, _LIMITS)),
}
_OF_PYTHON = ("builtins", "collections")
_INTERVAL_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)

# PyTorch's own getters, which differ between versions: flags of cuBLAS, cuDNN, oneDNN and of attention. The order in
# which attention tries its kernels is left out: PyTorch itself changes it at the first call.
_GETTERS = re.compile(
    r"_get_.*(tf32|precision_reduction|bf16_reduction|accumulation|sdp_enabled|_enabled|deterministic|benchmark"
    r"|uninitialized_memory|preferred_backend|qengine|carveout)$"
)
_NAMED_ABOVE = re.compile(
    r"_get_(cublas_allow_tf32|cudnn_(allow_tf32|benchmark|deterministic|enabled)|determ.*ms)$"
)
_PRECISIONS = (("generic", "all"), *((b, op) for b in ("cuda", "mkldnn") for op in ("matmul", "conv", "rnn")))

# A program may choose what to build for, with what, and where to keep it.
_OF_BUILDS = re.compile(
    r"(TORCH_CUDA_ARCH_LIST|TORCH_EXTENSIONS_DIR|TORCH_DONT_CHECK_COMPILER_ABI|TORCH_NVCC_FLAGS|MAX_JOBS|VERBOSE"
    r"|CC|CXX|CUDAHOSTCXX|CUDA_HOME|CUDA_PATH|CUDA_ROOT|CUDACXX|CUDA_CACHE_\w+|CUDA_MODULE_LOADING|NVCC\w*|NINJA\w*"
    r"|CMAKE\w*|CCACHE\w*|C(PLUS)?_INCLUDE_PATH|CPATH|LIBRARY_PATH|LD_LIBRARY_PATH|PATH|\w*(CFLAGS|CXXFLAGS|LDFLAGS)"
    r"|CUTLASS\w*|TORCH_LOGS\w*|TORCHINDUCTOR_\w+|TRITON_\w+|CUPY_\w+|TMPDIR|PYTHON\w+|PYTORCH_NVML\w+"
    r"|TORCH_SHOW_CPP_STACKTRACES|TORCH_CUDA_SANITIZER|COLUMNS|LINES|__KMP_\w+|KMP_INIT_AT_FORK)$"
)
# Operators that most models use. A library that registers its own kernel for one of them is seen by where that stands.
_OPERATORS = (
    "add.Tensor sub.Tensor mul.Tensor div.Tensor mm bmm addmm addmv baddbmm matmul linear dot conv2d convolution "
    "cudnn_convolution mkldnn_convolution relu relu_ leaky_relu gelu silu sigmoid tanh elu hardtanh softplus "
    "_softmax _log_softmax native_layer_norm native_group_norm native_batch_norm cudnn_batch_norm rms_norm sum "
    "sum.dim_IntList mean mean.dim max.dim min.dim argmax amax cumsum cumprod sort topk exp log sqrt rsqrt "
    "pow.Tensor_Scalar clamp where.self cat copy_ clone fill_.Scalar zero_ empty.memory_format empty_strided "
    "as_strided _to_copy index.Tensor embedding gather scatter_add mse_loss cross_entropy_loss nll_loss_forward "
    "scaled_dot_product_attention max_pool2d_with_indices avg_pool2d adaptive_avg_pool2d native_dropout dropout "
    "randn rand normal_ uniform_ bernoulli_.float equal eq.Tensor isclose allclose"
)


class Settings:
    """Their values when this was made."""

    def __init__(self) -> None:
        self._values = dict(_readings())
        self._variables = variables()
        self._handlers = _signal_handlers()
        self._operators = _registrations()

    def changed(self) -> list[str]:
        """What differs now, in words."""
        now = dict(_readings())
        words = [
            f"{name} has changed"
            if isinstance(before, _Unnamed)
            else f"{name} is {now.get(name)!s:.60} instead of {before!s:.60}"
            for name, before in self._values.items()
            if now.get(name) != before
        ]
        variables_now = variables()
        words += [
            f"the variable {name} is {'set' if name in variables_now else 'gone'}"[:200]
            for name in sorted(self._variables.keys() | variables_now.keys())
            if self._variables.get(name) != variables_now.get(name) and not _OF_BUILDS.match(name)
        ]
        handlers = _signal_handlers()
        words += [
            f"the handler of {signal.Signals(number).name} is another one"
            for number, before in self._handlers.items()
            if handlers.get(number) != before and not _is_tritons(handlers[number][0])
        ]
        operators = _registrations()
        words += [
            f"PyTorch's operator {name} has another implementation"
            for name in sorted(self._operators.keys() | operators.keys())
            if self._operators.get(name) != operators.get(name)
        ]
        return words


def timers() -> list[str]:
    """The timers of this process that are running, in words."""
    found = ["a timer"] if any(signal.getitimer(which)[0] > 0 for which in _INTERVAL_TIMERS) else []
    return found + ["a timer of the system"] * _posix_timers()


def variables() -> dict[str, str]:
    """The environment as native code sees it, which need not be what os.environ says; both where they differ."""
    found = {}
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
    return found


def _readings() -> Iterator[tuple[str, Any]]:
    for name, read in _NAMED.items():
        yield name, _value(read)
    for name in dir(torch._C):
        if _GETTERS.match(name) and not _NAMED_ABOVE.match(name):
            yield f"PyTorch's {name.removeprefix('_get_').replace('_', ' ')}", _value(getattr(torch._C, name))
    if hasattr(torch._C, "_get_fp32_precision_getter"):  # only newer versions have it
        for names in _PRECISIONS:
            read = functools.partial(torch._C._get_fp32_precision_getter, *names)
            value = _value(read)
            # A precision that was set and put back is "ieee" where it was "none" before, which means the same.
            yield f"the float32 precision of {' '.join(names)}", "ieee" if value == "none" else value
    einsum = torch.backends.opt_einsum
    yield "torch.backends.opt_einsum", _value(lambda: (einsum.enabled, einsum.strategy))


def _value(read: Read) -> Any:
    try:
        return read()
    except (AttributeError, RuntimeError, TypeError, ValueError):
        # AttributeError where this version has no such setting; RuntimeError as PyTorch has it where its two ways of
        # setting TF32 have been mixed; TypeError for a getter that wants arguments in this version.
        return "unknown"


def _numpy_printing() -> dict[str, Any]:
    """NumPy may be imported while a program runs."""
    if "numpy" not in sys.modules:
        return _USUAL_PRINTING
    now = sys.modules["numpy"].get_printoptions()
    return {name: now.get(name) for name in _USUAL_PRINTING}


def _saved_tensor_hooks() -> tuple[Any, ...]:
    autograd = torch._C._autograd
    return (
        autograd._top_saved_tensors_default_hooks(False),
        autograd._saved_tensors_hooks_get_disabled_error_message(),
    )


def _of_compile() -> tuple[bool, bool]:
    """Whether torch.compile is turned off, and whether it hides errors; it may be imported while a program runs."""
    config = sys.modules.get("torch._dynamo.config")
    if config is None:
        return os.environ.get("TORCHDYNAMO_DISABLE") == "1", False
    return bool(config.disable), bool(config.suppress_errors)


def _current_stream() -> int:
    """The usual one is 0, also where CUDA has not begun. In emulation there are no streams."""
    return torch.cuda.current_stream().cuda_stream if torch.cuda._initialized else 0


def _pickling() -> tuple[tuple[str, int], ...]:
    """What `copy` and `pickle` do with built-in classes and PyTorch's besides what these say themselves. A program may
    say how its own classes are to be copied, and a library that it imports as well."""
    tables = (copyreg.dispatch_table, copy._deepcopy_dispatch, copy._copy_dispatch)  # type: ignore[attr-defined]
    return tuple(
        (kind.__qualname__, id(function))
        for table in tables
        for kind, function in table.items()
        if kind.__module__ in _OF_PYTHON
        or (kind.__module__.startswith("torch") and not kind.__module__.startswith("torch._"))
    )


def _replaced_in(*streams: Any) -> list[str]:
    """Methods that a stream has for itself alone."""
    return [name for one in streams for name, value in getattr(one, "__dict__", {}).items() if callable(value)]


def _finders_of_the_program() -> list[int]:
    """Import hooks that a candidate defines; libraries bring others when they are imported."""
    hooks = [*sys.meta_path, *sys.path_hooks]
    return [id(one) for one in hooks if "candidate" in (getattr(one, "__module__", ""), type(one).__module__)]


def _posix_timers() -> int:
    """How many timers of timer_create there are; 0 where the system does not say."""
    try:
        return Path("/proc/self/timers").read_text().count("ID:")
    except OSError:
        return 0


def _is_tritons(address: int) -> bool:
    """Whether a handler is that of Triton's compiler, which sets its own for the signals that end a process."""
    for row in Path("/proc/self/maps").read_text().splitlines():
        place, *_others, file = row.split(maxsplit=5) if len(row.split(maxsplit=5)) == 6 else ("0-0", "")
        start, _, end = place.partition("-")
        if int(start, 16) <= address < int(end, 16):
            return Path(file).name == "libtriton.so"
    return False


def _signal_handlers() -> dict[int, tuple[int, int]]:
    """By signal: the address of its handler in native code, and Python's own handler."""
    found = {}
    action = ctypes.create_string_buffer(
        256
    )  # at least as large as struct sigaction, whose first field it is
    for number in sorted(signal.valid_signals()):
        if number >= signal.SIGRTMIN and number != signal.SIGRTMAX:
            continue
        address = 0
        if _LIBC.sigaction(int(number), None, action) == 0:
            address = int.from_bytes(action.raw[: ctypes.sizeof(ctypes.c_void_p)], sys.byteorder)
        found[int(number)] = (address, hash(signal.getsignal(number)))
    return found


def _registrations() -> dict[str, str]:
    """What is registered for PyTorch's operators besides its own: in Python for all of them, natively for many."""
    package = str(Path(torch.__file__).parent)
    found = {
        name.removeprefix("aten/").replace("/", " on "): "Python"
        for name in torch.library._impls
        if name.startswith("aten/") and not name.endswith("/Meta") and not name.startswith("aten/_native")
    }
    found = {
        name: what for name, what in found.items() if not _is_pytorchs_own(name.split(" on ")[0], package)
    }
    for name in _OPERATORS.split():
        lines = _dump(name)
        found[name] = "\n".join(
            line for line in lines if "(inactive)" in line and not line.startswith("Meta")
        )
    return found


def _dump(operator: str) -> list[str]:
    try:
        return str(torch._C._dispatch_dump(f"aten::{operator}")).splitlines()
    except RuntimeError:  # not an operator of this version
        return []


def _is_pytorchs_own(operator: str, package: str) -> bool:
    """Whether PyTorch itself has registered in Python for the operator, as some of its modules do when imported."""
    return not any(
        "registered at" in line and ".py:" in line and package not in line and not line.startswith("debug")
        for line in _dump(operator)
    )
