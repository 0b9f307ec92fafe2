"""torch's Python face without a GPU: what a program asks torch.cuda, and load_inline.

In: a `Loader` that builds and imports extensions. Out: patches of torch in this process.
Not here: on which device a tensor is (`device_mode`), memory (`native`), streams and graphs (`streams`), compiling
(`build`).
"""

from __future__ import annotations

import errno
import os
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
import torch.utils.cpp_extension

from kernelgate.cuda_source.architectures import MULTIPROCESSORS
from kernelgate.cuda_source.nvcc_flags import refused_architecture, refused_flag
from kernelgate.emulator.build.extension import Extension
from kernelgate.emulator.build.own_headers import searched
from kernelgate.emulator.device.compile_kernel import compile_kernel
from kernelgate.emulator.device.generators import Generator
from kernelgate.emulator.device.streams import Streams, names_of_streams
from kernelgate.emulator.errors import CompileFailed, Diagnostic, Refused
from kernelgate.emulator.translate.architecture import arch_flags
from kernelgate.emulator.translate.refusals import refuse_libraries

# Builds an extension and imports it if it is a Python module; else its library's path is returned.
Loader = Callable[[Extension, bool], "types.ModuleType | str"]


def patch_torch(load: Loader, streams: Streams, arch: str | None = None) -> None:
    """Changes torch in this process, for good. `arch`: of the GPU that programs see, as in `arch_flags`."""
    seen = arch if arch_flags(arch) and arch is not None else "sm_80"
    for name, value in {**_cuda_names(seen), **names_of_streams(streams)}.items():
        setattr(torch.cuda, name, value)
    torch.cuda.graphs.graph_pool_handle = torch.cuda.graph_pool_handle
    torch.backends.cudnn.is_acceptable = _always(False)
    torch.Generator = Generator
    torch.Tensor.record_stream = _record_stream
    torch.compile = _refusal("torch.compile")
    torch.nn.Module.compile = _refusal("torch.compile")
    torch.utils.cpp_extension.load_inline = _load_inline(load)
    torch.cuda._compile_kernel = compile_kernel
    torch.utils.cpp_extension.load = _load_files


def _load_files(name: str, sources: str | Sequence[str], *_args: Any, **_options: Any) -> Any:
    """Raises what PyTorch raises for a file of the extension `name` that does not exist, and Refused otherwise."""
    del name
    for path in _strings(sources):
        if not Path(path).exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    raise Refused("torch.utils.cpp_extension.load (sources in files)")


def _record_stream(self: torch.Tensor, stream: Any) -> None:
    """Memory is not given to another stream before its time: there is one. PyTorch's own takes no other class's."""


def _refusal(what: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise Refused(what)

    return refuse


def _always(value: Any) -> Callable[..., Any]:
    """A function of its own at every call: torch.compile knows functions by their identity."""
    return lambda *args, **kwargs: value


def _no_context() -> Callable[..., AbstractContextManager[None]]:
    return lambda *args, **kwargs: nullcontext()


_RESETS_OF_MEMORY = (
    "reset_peak_memory_stats",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "set_per_process_memory_fraction",
)


def _properties(arch: str) -> Any:
    # The same device as the shim's device_properties().
    held = MULTIPROCESSORS[arch]
    return types.SimpleNamespace(
        name="KernelGate emulation (no GPU)",
        major=int(arch[3]),
        minor=int(arch[4]),
        total_memory=4 << 30,
        multi_processor_count=4,
        warp_size=32,
        max_threads_per_multi_processor=held.warps * 32,
        shared_memory_per_block=48 * 1024,
        shared_memory_per_block_optin=(held.shared_kib - held.reserved_kib) * 1024,
        shared_memory_per_multiprocessor=held.shared_kib * 1024,
        regs_per_multiprocessor=65536,
        L2_cache_size=40 << 20,
    )


def _cuda_names(arch: str) -> dict[str, Any]:
    properties = _properties(arch)
    return {
        "is_available": _always(True),
        "is_initialized": _always(True),
        "init": _always(None),
        "device_count": _always(1),
        "current_device": _always(0),
        "set_device": _always(None),
        "device": _no_context(),
        "device_of": _no_context(),
        "empty_cache": _always(None),
        "ipc_collect": _always(None),
        "get_device_name": _always(properties.name),
        "get_device_capability": _always((properties.major, properties.minor)),
        "get_device_properties": _always(properties),
        "get_arch_list": _always([arch]),
        "is_bf16_supported": _always(True),
        # torch.manual_seed calls these; seeding torch from here would call it again, for ever.
        "manual_seed": _always(None),
        "manual_seed_all": _always(None),
        # Tensors of the emulated device are drawn from the generator of the CPU.
        "seed": torch.default_generator.seed,
        "initial_seed": torch.default_generator.initial_seed,
        "get_rng_state": lambda device=None: torch.default_generator.get_state(),
        "set_rng_state": lambda new_state, device=None: torch.default_generator.set_state(new_state),
        "default_generators": (torch.default_generator,),
        "mem_get_info": _always((properties.total_memory, properties.total_memory)),
        "memory_allocated": _always(0),
        "max_memory_allocated": _always(0),
        "memory_reserved": _always(0),
        **dict.fromkeys(_RESETS_OF_MEMORY, _always(None)),
    }


_FLAGS_BY_NAME = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
"""Variables from which nvcc takes flags beside those of a build."""


def _load_inline(load: Loader) -> Callable[..., Any]:
    def load_inline(
        name: str,
        cpp_sources: str | Sequence[str],
        cuda_sources: str | Sequence[str] | None = None,
        sycl_sources: str | Sequence[str] | None = None,
        functions: str | Sequence[str] | Mapping[str, str] | None = None,
        extra_cflags: Sequence[str] | None = None,
        extra_cuda_cflags: Sequence[str] | None = None,
        extra_sycl_cflags: Sequence[str] | None = None,
        extra_ldflags: Sequence[str] | None = None,
        extra_include_paths: str | Sequence[str] | None = None,
        build_directory: str | None = None,
        verbose: bool = False,
        with_cuda: bool | None = None,
        with_sycl: bool | None = None,
        is_python_module: bool = True,
        with_pytorch_error_handling: bool = True,
        keep_intermediates: bool = True,
        use_pch: bool = False,
        no_implicit_headers: bool = False,
    ) -> types.ModuleType | str:
        """load_inline, for the CPU. Flags for optimization and architecture change nothing."""
        if sycl_sources:
            raise Refused("SYCL sources")
        for given, flags_of in (
            ("extra_cflags", extra_cflags),
            ("extra_cuda_cflags", extra_cuda_cflags),
            ("extra_ldflags", extra_ldflags),
        ):
            if isinstance(flags_of, str) and flags_of:  # PyTorch goes through it as through a list
                raise TypeError(
                    f"load_inline takes a list of flags as {given}, and each letter of a text is no flag"
                )
        refuse_libraries(_strings(extra_ldflags))
        if cuda_sources:
            _refuse_flags(name, _strings(extra_cuda_cflags))
        flags = _strings(extra_cflags) + _strings(extra_cuda_cflags)
        flags += [flag for name in _FLAGS_BY_NAME for flag in os.environ.get(name, "").split()]
        defines = [flag for flag in flags if flag.startswith(("-D", "-U"))]
        where = searched(flags)
        if where.files:
            raise Refused(f"a flag that includes {where.files[0]}: write #include in the source")
        extension = Extension(
            name,
            _strings(cpp_sources),
            _strings(cuda_sources),
            functions,
            defines,
            implicit_headers=not no_implicit_headers,
            include_paths=[
                *(str(Path(path).absolute()) for path in _strings(extra_include_paths) if path),
                *(folder for folder in where.folders if Path(folder).is_absolute()),
            ],
        )
        return load(extension, is_python_module)

    return load_inline


def _refuse_flags(extension: str, flags: Sequence[str]) -> None:
    """Raises CompileFailed, in nvcc's words, for a flag that it does not take."""
    flag, architecture = refused_flag(flags), refused_architecture(flags)
    if flag is not None or architecture is not None:
        message = f"Unknown option '{flag}'" if flag else f"Unsupported gpu architecture '{architecture}'"
        failed = Diagnostic("nvcc", 0, 0, "error", message)
        raise CompileFailed(extension, f"nvcc fatal   : {message}\n", (failed,))


def _strings(value: str | Sequence[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])
