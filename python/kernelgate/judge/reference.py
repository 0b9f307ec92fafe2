"""The reference of a run: expected values, and what the worker needs to construct the same module.

In: the job and the device. Out: inputs, expected results and parameters, computed in the judge's process only.
Exact problems expect PyTorch's own result, bit for bit; graded ones a float64 result and the magnitudes summed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from kernelgate.backend.memory import DTYPES, packed
from kernelgate.check.arithmetic import Bounds, rounded_to_bf16, rounded_to_tf32, truncated_to_tf32
from kernelgate.check.autograd import gradients as autograd
from kernelgate.check.cases import case_seed
from kernelgate.check.numerics import compare_graded
from kernelgate.check.problem import MAX_EMULATED_ELEMENTS, Problem, ProblemError, scaled_sizes
from kernelgate.judge.run_ended import NotJudged, RunEnded
from kernelgate.messages.job import Job, Verb
from kernelgate.messages.parcel import Parcel
from kernelgate.messages.worker import Argument, Value
from kernelgate.report import ExcerptLine, Failure, Place, one_line

State = Literal["own", "integers", "changed", "varied"]
"""Which parameters a module has; "varied": it was constructed with other arguments."""

# Of the size of the input, in judge and workers together; counted, with some room.
_TENSORS_AT_ONCE = {"verify": 10, "benchmark": 14, "profile": 14}
_VARIED = 0.75  # what the floats of a constructor are multiplied by, to see that they are taken


@dataclass(frozen=True)
class Expected:
    """What a case should give. `value`: the reference's own result. Graded: `oracle` and `magnitude` in float64, and
    `bounds`, the errors that the reference itself makes; `exact_sums` where no sum of it can round."""

    value: torch.Tensor
    aliases_input: bool
    oracle: torch.Tensor | None = None
    magnitude: torch.Tensor | None = None
    bounds: Bounds | None = None
    exact_sums: bool = False


class NotAccepted(Exception):
    """The reference itself refuses the input: the case does not apply."""


class Reference:
    """The problem of a run on its device. Raises RunEnded when it cannot be used."""

    def __init__(self, job: Job, device: torch.device, seed: int) -> None:
        self.device = device
        self.dtype = DTYPES[job.dtype]
        self.parameters_seed = case_seed(seed, "parameters")
        self._own_seed = case_seed(seed, "as given")
        operator = job.operator
        text = job.reference_text
        label = "problem.py" if operator is not None else job.reference_label
        self.graded = operator is None or operator.values == "graded"
        self.any_shape = not self.graded
        self._parameters = operator.parameters if operator is not None else None
        self._modules: dict[tuple[torch.dtype, State], torch.nn.Module] = {}
        try:
            self.sizes = self._sizes(job, text, label)
            self._problem = Problem(text, label, device, self.sizes)
            self.init = self._problem.init_inputs(self.parameters_seed)
            self.own_inputs = self._problem.inputs(self._own_seed)
            self._base = self._problem.model(self.init, self.parameters_seed, torch.float32)
            self.full_shape = self._full_shape(text, label) if self.scaled else None
        except ProblemError as exc:
            raise _unusable(exc, label, text) from exc
        self.template = next(
            (v for v in self.own_inputs if isinstance(v, torch.Tensor) and v.is_floating_point()), None
        )

    def _sizes(self, job: Job, text: str, label: str) -> dict[str, int]:
        operator = job.operator
        self.scaled = False
        if job.shape is not None and operator is not None:
            return {**dict(zip(operator.shape, job.shape, strict=True)), **job.sizes}
        if self.device.type == "cpu" and operator is not None:
            sizes = dict(zip(operator.shape, operator.emulated_shape, strict=True))
        else:
            sizes = scaled_sizes(text, label, self._affordable_elements(job.verb))
        self.scaled = bool(sizes) and not job.sizes
        return {**sizes, **job.sizes}

    def _affordable_elements(self, verb: Verb) -> int:
        if self.device.type == "cpu":
            return MAX_EMULATED_ELEMENTS
        free, _total = torch.cuda.mem_get_info(self.device)
        return int(free / _TENSORS_AT_ONCE[verb] / self.dtype.itemsize)

    def _full_shape(self, text: str, label: str) -> str:
        full = Problem(text, label, torch.device("meta"), {})
        return shape_words(full.inputs(0))

    @property
    def shape(self) -> str:
        return shape_words(self.own_inputs)

    def module(self, dtype: torch.dtype, state: State = "own") -> torch.nn.Module:
        """The reference module in a dtype, with its own parameters or others."""
        key = (dtype, state)
        if key not in self._modules:
            if state == "varied":
                module = self._problem.model(self.varied_init() or [], self.parameters_seed, torch.float32)
            else:
                module = copy.deepcopy(self._base)
                module.load_state_dict(self.state(state))
            self._modules[key] = module.to(dtype)
        return self._modules[key]

    def state(self, name: State) -> dict[str, torch.Tensor]:
        """Parameters by name: the reference's own, small integers, or others of the same size."""
        own: dict[str, torch.Tensor] = self._base.state_dict()
        if name == "own":
            return own
        if name == "varied":
            varied: dict[str, torch.Tensor] = self.module(torch.float32, "varied").state_dict()
            return varied
        generator = torch.Generator(device=self.device).manual_seed(case_seed(self.parameters_seed, name))
        return {key: _other(value, name, generator) for key, value in own.items()}

    @property
    def parameter_names(self) -> list[str]:
        return [name for name, _parameter in self._base.named_parameters()]

    @property
    def has_state(self) -> bool:
        return bool(self._base.state_dict())

    def expected(self, inputs: Sequence[Any], dtype: torch.dtype, state: State = "own") -> Expected:
        """What the reference makes of the inputs. Raises NotAccepted where it refuses them, RunEnded where its result
        is no single tensor."""
        value, aliases = self._own_result(inputs, dtype, state)
        if not self.graded or not value.is_floating_point():
            return Expected(value, aliases)
        oracle = self._in_float64(self.module(torch.float64, state), inputs)
        magnitude = self._in_float64(
            _mapped(self.module(torch.float64, state), torch.abs), _each(inputs, torch.abs)
        )
        magnitude = torch.where(
            magnitude.isfinite(), torch.maximum(magnitude.abs(), oracle.abs()), oracle.abs()
        )
        if state == "integers":
            return Expected(value, aliases, oracle, oracle.abs(), Bounds(0.0, 0.0, 0.0), exact_sums=True)

        def units(result: torch.Tensor) -> float:
            found = compare_graded(result.to(value.dtype), oracle, magnitude, float("inf"), poison=0)
            return found.error_units or 0.0

        own = units(value)
        if dtype != torch.float32:
            return Expected(value, aliases, oracle, magnitude, Bounds(own, own, own))
        wide = self.module(torch.float64, state)
        tf32, truncated, bf16 = (
            units(self._in_float64(_mapped(wide, coarse), _each(inputs, coarse)))
            for coarse in (rounded_to_tf32, truncated_to_tf32, rounded_to_bf16)
        )
        return Expected(value, aliases, oracle, magnitude, Bounds(own, tf32, bf16, max(tf32, truncated)))

    def _own_result(
        self, inputs: Sequence[Any], dtype: torch.dtype, state: State
    ) -> tuple[torch.Tensor, bool]:
        """The reference's own result, and whether it shares memory with an input."""
        given = [copied(v) for v in inputs]
        try:
            value = self._problem.call(self.module(dtype, state), given)
        except torch.OutOfMemoryError as exc:
            raise _too_large(self.shape) from exc
        except (RuntimeError, IndexError, ValueError, TypeError) as exc:
            raise NotAccepted(str(exc)) from exc
        if not isinstance(value, torch.Tensor):
            raise _no_single_tensor(value)
        pointers = {v.untyped_storage().data_ptr() for v in given if isinstance(v, torch.Tensor)}
        return value, value.numel() > 0 and value.untyped_storage().data_ptr() in pointers

    def drawn_inputs(self, seed: int) -> list[Any]:
        """The problem's own inputs, drawn anew."""
        drawn: list[Any] = self._problem.inputs(seed)
        return drawn

    def expected_value(self, inputs: Sequence[Any]) -> torch.Tensor:
        """What the reference itself makes of inputs of its own dtype. Raises NotAccepted."""
        return self._own_result(inputs, self.dtype, "own")[0]

    def upstream(self, inputs: Sequence[Any]) -> torch.Tensor | None:
        """Some gradient of the result: of its shape, dtype and device; None where it has none."""
        value = self.expected_value(inputs)
        return torch.ones_like(value) if value.is_floating_point() else None

    def gradients(
        self, inputs: Sequence[Any], upstream: torch.Tensor, dtype: torch.dtype
    ) -> list[torch.Tensor | None]:
        """Autograd's gradients of the floating inputs, then of the parameters by name; empty where there are none."""
        module = copy.deepcopy(self.module(dtype))
        result, found = autograd(module, _each(inputs, lambda v: v.to(dtype)), upstream.to(dtype))
        del result
        return found

    def varied_init(self) -> list[Any] | None:
        """The constructor's arguments with other floats; None where it takes none."""
        init = list(self.init)
        if not init and self._parameters is not None:
            init = [parameter.default for parameter in self._parameters]
        if not any(isinstance(value, float) for value in init):
            return None
        return [value * _VARIED if isinstance(value, float) else value for value in init]

    def perturbed(self, factor: float) -> torch.nn.Module | None:
        """The reference module, every float among its attributes multiplied; None where it has none."""
        module = copy.deepcopy(self.module(self.dtype))
        found = False
        for part in module.modules():
            for name, value in list(vars(part).items()):
                if type(value) is float:
                    setattr(part, name, value * factor)
                    found = True
        return module if found else None

    def call(self, module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
        """What a module of the reference makes of the inputs; without gradients."""
        return self._problem.call(module, [copied(v) for v in inputs])

    def _in_float64(self, module: torch.nn.Module, inputs: Sequence[Any]) -> torch.Tensor:
        return self._problem.call(module, _each(inputs, torch.Tensor.double))

    # --- for the worker ---------------------------------------------------------------------------------------------

    def construction(self, state: State = "own") -> tuple[list[Argument], int, dict[str, Parcel], list[int]]:
        """The constructor's arguments, the seed, the parameters, and the descriptors that carry them."""
        descriptors: list[int] = []
        init = self.varied_init() if state == "varied" else self.init
        arguments = [self.pack(value, descriptors) for value in init or []]
        return arguments, self.parameters_seed, self.packed_state(state, descriptors), descriptors

    def packed_state(self, name: State, descriptors: list[int]) -> dict[str, Parcel]:
        state: dict[str, Parcel] = {}
        for key, tensor in self.state(name).items():
            parcel = self.pack(tensor, descriptors)
            assert isinstance(parcel, Parcel)
            state[key] = parcel
        return state

    def pack(self, value: Any, descriptors: list[int]) -> Argument:
        """An argument as a message carries it; a host tensor's descriptor is added to the list."""
        if not isinstance(value, torch.Tensor):
            return Value(value)
        parcel, more = packed(value)
        parcel.descriptor = len(descriptors)
        descriptors += more
        return parcel


def copied(value: Any) -> Any:
    """A copy with the same strides; the value itself where it is an expanded view, which has no such copy."""
    if not isinstance(value, torch.Tensor):
        return value
    copied = value.clone(memory_format=torch.preserve_format)
    return copied if copied.stride() == value.stride() else value


def _each(values: Sequence[Any], change: Callable[[torch.Tensor], torch.Tensor]) -> list[Any]:
    """The values, the floating tensors among them changed."""
    return [change(v) if isinstance(v, torch.Tensor) and v.is_floating_point() else v for v in values]


def _mapped(module: torch.nn.Module, change: Callable[[torch.Tensor], torch.Tensor]) -> torch.nn.Module:
    """A copy of a module, its floating parameters and buffers changed."""
    changed = copy.deepcopy(module)
    for tensor in (*changed.parameters(), *changed.buffers()):
        if tensor.is_floating_point():
            tensor.data = change(tensor.data)
    return changed


def _other(value: torch.Tensor, name: State, generator: torch.Generator) -> torch.Tensor:
    """Another tensor for a parameter; same shape, dtype and device."""
    if not value.is_floating_point():
        return value.clone()
    if name == "integers":
        return torch.randint(-4, 5, value.shape, generator=generator, device=value.device).to(value.dtype)
    drawn = torch.randn(value.shape, generator=generator, device=value.device, dtype=torch.float32)
    return (drawn * value.float().abs().mean()).to(value.dtype)


def _too_large(shape: str) -> RunEnded:
    return NotJudged(
        "environment",
        "Not run: the problem does not fit into the device's memory",
        Failure(
            stage="check",
            what=one_line(f"The reference ran out of device memory at {shape}", 600),
            next_step="Free memory on the device, or ask for a smaller --shape",
        ),
    )


def _no_single_tensor(value: Any) -> RunEnded:
    return NotJudged(
        "environment",
        f"Not run: the reference returns a {type(value).__name__}, not one tensor",
        Failure(
            stage="check", what="Only modules with one result are checked", next_step="Return one tensor"
        ),
    )


def shape_words(values: Sequence[Any]) -> str:
    """ "4096x393216", or several of them with commas; "scalar" for a tensor without dimensions."""
    shapes = [v.shape for v in values if isinstance(v, torch.Tensor)]
    return ", ".join("x".join(str(n) for n in shape) or "scalar" for shape in shapes)


def _unusable(exc: ProblemError, label: str, text: str) -> RunEnded:
    lines = text.split("\n")
    excerpt = []
    if exc.line is not None and 0 < exc.line <= len(lines):
        excerpt = [ExcerptLine(line=exc.line, text=one_line(lines[exc.line - 1], 400), marked=True)]
    return NotJudged(
        "environment",
        f"Not run: {exc.what}",
        Failure(
            stage=None,
            what=one_line(exc.what, 600),
            where=Place(label=one_line(label, 120), line=exc.line, excerpt=excerpt),
            next_step=one_line(exc.next_step, 600),
        ),
    )
