"""The reference of a run: expected values, and what the worker needs to construct the same module.

In: the job and the device. Out: inputs, expected results and parameters, computed in the judge's process only.
Exact problems expect PyTorch's own result, bit for bit; graded ones a float64 result and the magnitudes summed.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.backend.memory import DTYPES, pack_cuda, pack_host
from kernelgate.backend.parcel import Parcel
from kernelgate.check.cases import case_seed
from kernelgate.check.numerics import CLASSES, FP32_CLASS_UNITS, arithmetic_class, compare_graded
from kernelgate.check.problem import Problem, ProblemError, scaled_sizes
from kernelgate.judge.job import Job
from kernelgate.judge.outcome import RunEnded
from kernelgate.judge.protocol import Argument, Value
from kernelgate.report import ExcerptLine, Failure, Place, one_line


@dataclass(frozen=True)
class Expected:
    """What a case should give. `value`: the reference's own result. Graded: `oracle` and `magnitude` in float64, and
    `bound`, the largest error allowed, in the units of `check.numerics`."""

    value: torch.Tensor
    aliases_input: bool
    oracle: torch.Tensor | None = None
    magnitude: torch.Tensor | None = None
    bound: float = 0.0


class NotAccepted(Exception):
    """The reference itself refuses the input: the case does not apply."""


class Reference:
    """The problem of a run on its device. Raises RunEnded when it cannot be used."""

    def __init__(self, job: Job, device: torch.device, seed: int) -> None:
        self.device = device
        self.dtype = DTYPES[job.dtype]
        self._seed = case_seed(seed, "parameters")
        self._own_seed = case_seed(seed, "as given")
        operator = job.operator
        text = job.reference_text
        label = "problem.py" if operator is not None else job.reference_label
        self.graded = operator is None or operator.values == "graded"
        self.any_shape = not self.graded
        self._modules: dict[torch.dtype, torch.nn.Module] = {}
        try:
            sizes = self._sizes(job, text, label)
            self._problem = Problem(text, label, device, sizes)
            self.init = self._problem.init_inputs(self._seed)
            self.own_inputs = self._problem.inputs(self._own_seed)
            self._base = self._problem.model(self.init, self._seed, torch.float32)
            self.full_shape = self._full_shape(text, label) if self.scaled else None
        except ProblemError as exc:
            raise _unusable(exc, label, text) from exc
        self.template = next(
            (v for v in self.own_inputs if isinstance(v, torch.Tensor) and v.is_floating_point()), None
        )

    def _sizes(self, job: Job, text: str, label: str) -> dict[str, int]:
        operator = job.operator
        sizes: dict[str, int] = {}
        self.scaled = False
        if job.shape is not None and operator is not None:
            sizes = dict(zip(operator.shape, job.shape, strict=True))
        elif self.device.type == "cpu":
            if operator is not None:
                sizes = dict(zip(operator.shape, operator.emulated_shape, strict=True))
            else:
                sizes = scaled_sizes(text, label)
            self.scaled = bool(sizes) and not job.sizes
        return {**sizes, **job.sizes}

    def _full_shape(self, text: str, label: str) -> str:
        full = Problem(text, label, torch.device("meta"), {})
        return shape_words(full.inputs(0))

    @property
    def shape(self) -> str:
        return shape_words(self.own_inputs)

    def module(self, dtype: torch.dtype) -> torch.nn.Module:
        """The reference module in a dtype."""
        if dtype not in self._modules:
            self._modules[dtype] = copy.deepcopy(self._base).to(dtype)
        return self._modules[dtype]

    def expected(self, inputs: Sequence[Any], dtype: torch.dtype) -> Expected:
        """What the reference makes of the inputs. Raises NotAccepted where it refuses them, RunEnded where its result
        is no single tensor."""
        given = [
            v.clone(memory_format=torch.preserve_format) if isinstance(v, torch.Tensor) else v for v in inputs
        ]
        for copied, original in zip(given, inputs, strict=True):
            if isinstance(original, torch.Tensor) and copied.stride() != original.stride():
                given[given.index(copied)] = original  # an expanded view has no copy with its strides
        try:
            value = self._problem.call(self.module(dtype), given)
        except (RuntimeError, IndexError, ValueError, TypeError) as exc:
            raise NotAccepted(str(exc)) from exc
        if not isinstance(value, torch.Tensor):
            raise RunEnded(
                "environment",
                f"Not run: the reference returns a {type(value).__name__}, not one tensor",
                Failure(
                    stage="check",
                    what="Only modules with one result are checked",
                    next_step="Return one tensor",
                ),
            )
        pointers = {v.untyped_storage().data_ptr() for v in given if isinstance(v, torch.Tensor)}
        aliases = value.numel() > 0 and value.untyped_storage().data_ptr() in pointers
        if not self.graded or not value.is_floating_point():
            return Expected(value, aliases)
        oracle = self._in_float64(self.module(torch.float64), inputs)
        absolute = copy.deepcopy(self.module(torch.float64))
        for tensor in (*absolute.parameters(), *absolute.buffers()):
            tensor.data.abs_()
        magnitude = self._in_float64(
            absolute,
            [v.abs() if isinstance(v, torch.Tensor) and v.is_floating_point() else v for v in inputs],
        )
        magnitude = torch.where(
            magnitude.isfinite(), torch.maximum(magnitude.abs(), oracle.abs()), oracle.abs()
        )
        own = compare_graded(value, oracle, magnitude, float("inf"), poison=0)
        grade = arithmetic_class(own.error_units or 0.0)
        return Expected(value, aliases, oracle, magnitude, max(FP32_CLASS_UNITS, CLASSES[grade][1]))

    def _in_float64(self, module: torch.nn.Module, inputs: Sequence[Any]) -> torch.Tensor:
        wide = [v.double() if isinstance(v, torch.Tensor) and v.is_floating_point() else v for v in inputs]
        return self._problem.call(module, wide)

    # --- for the worker ---------------------------------------------------------------------------------------------

    def construction(self) -> tuple[list[Argument], int, dict[str, Parcel], list[int]]:
        """The constructor's arguments, the seed, the parameters, and the descriptors that carry them."""
        descriptors: list[int] = []
        init = [self.pack(value, descriptors) for value in self.init]
        state: dict[str, Parcel] = {}
        for name, tensor in self._base.state_dict().items():
            parcel = self.pack(tensor, descriptors)
            assert isinstance(parcel, Parcel)
            state[name] = parcel
        return init, self._seed, state, descriptors

    def pack(self, value: Any, descriptors: list[int]) -> Argument:
        """An argument as a message carries it; a host tensor's descriptor is added to the list."""
        if not isinstance(value, torch.Tensor):
            return Value(value)
        if value.is_cuda:
            torch.cuda.synchronize(value.device)
            return pack_cuda(value)
        parcel, more = pack_host(value)
        parcel.descriptor = len(descriptors)
        descriptors += more
        return parcel


def shape_words(values: Sequence[Any]) -> str:
    """ "4096x393216", or several of them with commas; "scalar" for a tensor without dimensions."""
    shapes = [v.shape for v in values if isinstance(v, torch.Tensor)]
    return ", ".join("x".join(str(n) for n in shape) or "scalar" for shape in shapes)


def _unusable(exc: ProblemError, label: str, text: str) -> RunEnded:
    lines = text.split("\n")
    excerpt = []
    if exc.line is not None and 0 < exc.line <= len(lines):
        excerpt = [ExcerptLine(line=exc.line, text=one_line(lines[exc.line - 1], 400), marked=True)]
    return RunEnded(
        "environment",
        f"Not run: {exc.what}",
        Failure(
            stage=None,
            what=one_line(exc.what, 600),
            where=Place(label=one_line(label, 120), line=exc.line, excerpt=excerpt),
            next_step=one_line(exc.next_step, 600),
        ),
    )
