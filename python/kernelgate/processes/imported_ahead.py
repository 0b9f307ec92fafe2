"""What the fork server imports before it forks, so that no child has to: the slow modules.

In: a module's name. Out: it is imported, and nothing of a device stays open. Not here: when (`processes.fork_server`).
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
from collections.abc import Iterator
from pathlib import Path

from kernelgate.sandbox.confine import COMPILES_ALONE

# What the disguised worker looks like, what watching operators and torch.export need, and what the first torch.compile
# does, which is tried on a GPU only.
_WATCHING = ("IPython", "ipykernel.kernelapp", "functorch.compile", "torch.export._trace")
_COMPILING = (
    "torch._inductor.compile_fx",
    "torch._dynamo.repro.after_aot",
    "torch._dynamo.dce_extra_outputs",
    "torch._export.passes._node_metadata_hook",
    "torch._higher_order_ops.passes",
)
_DRIVER = Path("/dev/nvidiactl")
_NVML = "libnvidia-ml.so.1"
_MOST_OPENED = 1000


def when_idle() -> tuple[str, ...]:
    """Modules that most runs need, and the first one can do without."""
    return (*_WATCHING, *_COMPILING) if _DRIVER.exists() else _WATCHING


def import_ahead(name: str) -> None:
    """Imports a module, if there is one of that name: each PyTorch has other ones."""
    os.environ.update(COMPILES_ALONE)
    # What asks for a device while it is imported must not touch the driver, which no child could use any more.
    with _variable("PYTORCH_NVML_BASED_CUDA_CHECK", "1"), contextlib.suppress(ImportError, OSError):
        module = importlib.import_module(name)
        if name == "torch._dynamo":
            module.list_backends()  # imports all of them, as the first torch.compile would
    _close_nvml()


@contextlib.contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """In the body, an environment variable has another value."""
    before = os.environ.get(name)
    os.environ[name] = value
    yield
    del os.environ[name]
    if before is not None:
        os.environ[name] = before


def _close_nvml() -> None:
    """PyTorch asks NVML for devices and leaves it open, once more each time. A child would find it open, without the
    descriptors that belong to it, and read neither clock nor temperature."""
    with contextlib.suppress(OSError):  # it is not loaded
        library = ctypes.CDLL(_NVML, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        for _ in range(_MOST_OPENED):
            if library.nvmlShutdown() != 0:
                return
