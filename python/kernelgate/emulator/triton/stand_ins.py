"""What Triton has for a GPU, for the emulated one: the driver, and what a compiled kernel says of itself.

In: nothing but torch's own words on the device. Out: objects that programs ask. Nothing is measured: of a tuned
kernel's configurations the first is taken, or all are run and one is drawn.
"""

from __future__ import annotations

import random
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from kernelgate.cuda_source import Refused

_WARP = 32


class Driver(DriverBase):  # type: ignore[misc]
    """The driver of the emulated GPU."""

    def __init__(self, *, every_configuration: bool) -> None:
        super().__init__()
        self._draws = random.Random(0) if every_configuration else None
        self.utils = types.SimpleNamespace(get_device_properties=_properties)
        self.get_device_capability = torch.cuda.get_device_capability
        self.get_current_device = torch.cuda.current_device
        self.set_current_device = torch.cuda.set_device

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_current_target(self) -> Any:
        major, minor = torch.cuda.get_device_capability()
        return GPUTarget("cuda", 10 * major + minor, _WARP)

    def get_current_stream(self, device: Any = None) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        return torch.cuda

    def map_python_to_cpp_type(self, ty: str) -> str:
        raise Refused("a launcher of Triton's")

    def get_benchmarker(self) -> Callable[..., list[float]]:
        def times(kernel_call: Callable[[], None], *, quantiles: Sequence[float], **_kwargs: Any) -> list[float]:
            if self._draws is None:
                return [0.0] * len(quantiles)
            kernel_call()
            return [self._draws.random()] * len(quantiles)

        return times

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(1, dtype=torch.int, device="cuda")

    def clear_cache(self, cache: Any) -> None:
        """There is none to be cleared."""


def _properties(device: Any = 0) -> dict[str, int]:
    known = torch.cuda.get_device_properties(device)
    return {
        "max_shared_mem": known.shared_memory_per_block_optin,
        "max_num_regs": known.regs_per_multiprocessor,
        "multiprocessor_count": known.multi_processor_count,
        "warpSize": known.warp_size,
        "sm_clock_rate": 0,
        "mem_clock_rate": 0,
        "mem_bus_width": 0,
    }


class Compiled:
    """What a launch returns: facts of a compiled kernel, of which the interpreter has none. They are small, so that a
    program which divides by them gets a grid."""

    n_regs, n_spills = 32, 0

    def __init__(self, kernel: Any, options: Mapping[str, Any]) -> None:
        warps, stages = options.get("num_warps", 4), options.get("num_stages", 3)
        self.name = kernel.fn.__name__
        self.asm: dict[str, str] = {}
        self.metadata = types.SimpleNamespace(name=self.name, shared=1024, num_warps=warps, num_stages=stages)
        self._kernel, self._options = kernel, options

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        def launch(*args: Any) -> Any:
            later = self._kernel.arg_names[len(args) :]
            rest = {name: value for name, value in self._options.items() if name in later}
            return self._kernel.run(*args, grid=grid, warmup=False, **rest)

        return launch

    def _init_handles(self) -> None:
        """There are none."""
