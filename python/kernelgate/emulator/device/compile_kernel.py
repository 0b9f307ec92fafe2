"""torch.cuda._compile_kernel without a GPU: a kernel from a text, which Python launches.

In: the text and a kernel's name. Out: what launches it. Not here: building (`torch_surface`, `build`).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import Any

import torch
import torch.utils.cpp_extension

# The launch knows the kernel's parameters, and Python the size of what it gives for each.
_LAUNCH = """
#include <c10/cuda/CUDAException.h>
template <class... A, size_t... I>
void kernelgate_go(void (*{called})(A...), const std::vector<int64_t>& shape, const std::vector<int64_t>& given,
                   const std::vector<int64_t>& sizes, std::index_sequence<I...>) {{
  TORCH_CHECK(given.size() == sizeof...(A), "the kernel takes ", sizeof...(A), " arguments, and the launch gives ",
              given.size());
  const size_t wanted[] = {{sizeof(A)..., 0}};
  for (size_t i = 0; i < given.size(); ++i)
    TORCH_CHECK(sizes[i] == (int64_t)wanted[i], "argument ", i + 1, " is passed in ", sizes[i],
                " bytes, and the kernel takes ", wanted[i], ": an int is passed as a C int, a float as a double");
  {called}<<<dim3(shape[0], shape[1], shape[2]), dim3(shape[3], shape[4], shape[5]), shape[6],
           reinterpret_cast<cudaStream_t>(shape[7])>>>(*reinterpret_cast<std::remove_cv_t<A>*>(given[I])...);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}}
template <class... A>
void kernelgate_start(void (*kernel)(A...), const std::vector<int64_t>& shape, const std::vector<int64_t>& given,
                      const std::vector<int64_t>& sizes) {{
  kernelgate_go(kernel, shape, given, sizes, std::index_sequence_for<A...>{{}});
}}
void launch_from_python(std::vector<int64_t> shape, std::vector<int64_t> given, std::vector<int64_t> sizes) {{
  kernelgate_start({kernel}, shape, given, sizes);
}}
void allow_shared_memory(int64_t bytes) {{
  C10_CUDA_CHECK(cudaFuncSetAttribute({kernel}, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}}
"""
_DECLARED = (
    "void launch_from_python(std::vector<int64_t> shape, std::vector<int64_t> given, std::vector<int64_t> sizes);\n"
    "void allow_shared_memory(int64_t bytes);\n"
)


class Kernel:
    """A kernel as PyTorch gives it: called with a grid, a block and arguments."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def set_shared_memory_config(self, shared_mem_bytes: int) -> None:
        self._module.allow_shared_memory(shared_mem_bytes)

    def __call__(
        self,
        grid: Sequence[int] = (1, 1, 1),
        block: Sequence[int] = (1, 1, 1),
        args: Sequence[Any] | None = None,
        shared_mem: int = 0,
        stream: Any = None,
    ) -> None:
        """Launches it. Raises TypeError for arguments of another type than tensor, int and float, and for a shape that
        is not of whole numbers."""
        held = [_as_c(one) for one in args or ()]
        queue = torch.cuda.current_stream() if stream is None else stream
        shape = [*grid, *block, shared_mem, queue.cuda_stream]
        if len(shape) != 8 or not all(isinstance(one, int) for one in shape):
            raise TypeError(f"a grid and a block are three whole numbers each, and not {grid} and {block}")
        given, sizes = [ctypes.addressof(one) for one in held], [ctypes.sizeof(one) for one in held]
        self._module.launch_from_python(shape, given, sizes)


def _as_c(value: Any) -> Any:
    """An argument as PyTorch passes it."""
    if isinstance(value, torch.Tensor):
        return ctypes.c_void_p(value.data_ptr())
    if isinstance(value, int):
        return ctypes.c_int(value)
    if isinstance(value, float):
        return ctypes.c_double(value)
    raise TypeError(f"Unsupported argument type: {type(value)}")


def compile_kernel(
    kernel_source: str,
    kernel_name: str,
    compute_capability: str | None = None,
    cuda_include_dirs: list[str] | None = None,
    nvcc_options: list[str] | None = None,
) -> Kernel:
    """As torch.cuda._compile_kernel. Raises what a build raises."""
    del compute_capability
    called = kernel_name.partition("<")[0].rpartition("::")[2].strip()  # as reports call it
    # Looked up at each call: the worker has put a load_inline there that reports the build.
    module = torch.utils.cpp_extension.load_inline(
        name="kernel_" + re.sub(r"\W", "_", kernel_name),
        cpp_sources=_DECLARED,
        cuda_sources=[kernel_source, _LAUNCH.format(kernel=kernel_name, called=called)],
        functions=["launch_from_python", "allow_shared_memory"],
        extra_cuda_cflags=[flag for flag in nvcc_options or () if flag.startswith(("-D", "-U"))],
        extra_include_paths=cuda_include_dirs,
    )
    return Kernel(module)
