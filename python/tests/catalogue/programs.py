"""The catalogue's programs as modules, what they replace, and the inputs that they are tried on."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

import kernelgate.catalogue

FOLDER = Path(kernelgate.catalogue.__file__).parent
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
SLOPES = (0.01, 0.0, 1.0, 1.5, -0.5, float("inf"), float("nan"))
_numbers = itertools.count()


def program(operator: str) -> types.ModuleType:
    """A module of its own from the operator's text, as a cell that it is inserted into."""
    path = FOLDER / operator / "model_new.py"
    # A name of its own: torch.compile and a strict torch.export look a function's globals up by its module's name.
    spec = importlib.util.spec_from_file_location(f"program_{operator}_{next(_numbers)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Case:
    """An operator with a slope: its module, and PyTorch's own in its place."""

    operator: str

    def module(self, slope: float, found: types.ModuleType | None = None) -> torch.nn.Module:
        found = found or program(self.operator)
        return found.ModelNew(*self.arguments(slope))

    def arguments(self, slope: float) -> tuple[float, ...]:
        return (slope,) if self.operator == "leakyrelu" else (2.3, slope)

    def reference(self, slope: float) -> Callable[[torch.Tensor], torch.Tensor]:
        if self.operator == "leakyrelu":
            return lambda x: F.leaky_relu(x, slope)
        return lambda x: F.leaky_relu(x * 2.3, slope)


CASES = (Case("leakyrelu"), Case("scale_leakyrelu"))


def values(*shape: int, dtype: torch.dtype = torch.float32, device: str | None = None) -> torch.Tensor:
    """Normal numbers, every fifth replaced by a special one."""
    info = torch.finfo(dtype)
    smallest = [info.tiny, -info.tiny, info.tiny * 0.5, -info.tiny * 0.5]
    special = torch.tensor(
        [float("inf"), float("-inf"), float("nan"), 0.0, -0.0, info.max, info.min, *smallest],
        dtype=torch.float64,
    ).to(dtype)
    drawn = torch.randn(shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64, device="cpu")
    made = drawn.to(special.device, dtype)
    places = made.view(-1)[::5]
    places.copy_(special.repeat(places.numel() // special.numel() + 1)[: places.numel()])
    return made if device is None else made.to(device)


def layouts(dtype: torch.dtype, device: str | None = None) -> Iterator[torch.Tensor]:
    """Tensors in many layouts: dense, permuted, sliced, expanded, offset, empty, of no and of many dimensions."""
    matrix = values(67, 129, dtype=dtype, device=device)
    yield matrix
    yield matrix.t()
    yield matrix[:, ::2]
    yield matrix[::3, 1:]
    yield matrix[:1].expand(5, 129)
    yield matrix[:, :1].expand(67, 9)
    yield matrix.view(-1)[1:]
    yield matrix[:0]
    yield matrix[3, 5]
    yield values(257, dtype=dtype, device=device)
    yield values(2, 3, 5, 7, dtype=dtype, device=device).contiguous(memory_format=torch.channels_last)
    yield values(4, 3, 5, 7, dtype=dtype, device=device).permute(2, 0, 3, 1)[:, ::2]
    yield matrix.as_strided((3, 4, 5, 3), (40, 9, 2, 1))  # overlaps itself
    # More dimensions than the kernels can walk, none of which merge.
    yield values(*[3] * 9, dtype=dtype, device=device)[(slice(None, None, 2),) * 9].permute(*range(1, 9), 0)
