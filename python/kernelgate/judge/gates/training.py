"""Gates about training: the gradient, autocast, and the two modes of a module."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from kernelgate.check.autograd import (
    Differentiating,
    as_one,
    floating_in,
    gradients,
    gradients_of_each_input,
    gradients_of_inputs,
    gradients_of_two_calls,
    second_gradients,
    taking_part,
)
from kernelgate.check.nesting import is_floating, mapped
from kernelgate.check.operator_mode import TakesTooLong, time_limit
from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.run_ended import CandidateRaised
from kernelgate.judge.gates.gate_kind import DoesNotHold, GateKind, NotTried, refusal_of_the_reference
from kernelgate.judge.gates.layouts import ARRIVING, Layout, turned_input
from kernelgate.judge.gates.subgradients import Differentiation, rounding_tolerance, subgradient_tolerance
from kernelgate.judge.gates.trial import Trial, require
from kernelgate.judge.reference.affordable import LONG
from kernelgate.judge.reference.copies import fresh
from kernelgate.report.numbers import counted

GRADIENT = GateKind(
    "gradient",
    "drop-in",
    "its gradient is wrong",
    "A model that holds it does not train",
    "has no gradient",
    silent=True,
)
GRADIENT_LAYOUT = GateKind(
    "gradient of any layout",
    "drop-in",
    "its gradient is wrong if the incoming gradient is not contiguous",
    "y.sum().backward(), or a layer behind it that transposes or cuts, gives a wrong gradient",
    "refuses a gradient that is not contiguous",
    silent=True,
)
DOUBLE_BACKWARD = GateKind(
    "double backward",
    "drop-in",
    "the gradient of its gradient is wrong",
    "A gradient penalty, or a Hessian, of a model that holds it is wrong",
    "has no gradient of its gradient",
)
AUTOCAST = GateKind(
    "autocast",
    "drop-in",
    "its result differs under autocast",
    "A model in mixed precision gets another dtype or accuracy here",
    "does not support autocast",
)
MODES = GateKind(
    "train and eval",
    "drop-in",
    "it is wrong in one of the modes train and eval",
    "model.eval() or model.train() changes the result",
    "cannot be switched to one of the modes train and eval",
)
# A sum of gradients may be made in another order than autograd's: this much more error than its own, and no less than
# so many roundings of the largest gradient.
_ORDER_FACTOR = 8.0
_LEAST_UNITS = 64.0
# Of what the gradient moves by at a kink: more than one element of a sum may lie there.
_KINKS = 2.0
_GRADIENT_S = 6.0
"""Of one backward pass of the reference. Some operators' take a time that grows with the square of the size."""


def gradient(trial: Trial) -> str:
    """Against autograd of the reference: in the run's dtype, with inputs or parameters that want no gradient, of
    a transposed input, of larger numbers where the reference works element by element, with another call in between and
    a second backward pass, and in double if the candidate takes it; of a slow reference without these last."""
    own = trial.reference.dtype
    _Differentiated(trial, own).check()
    ways = 1
    if trial.reference.has_state:
        of_parameters = functools.partial(gradients, of_inputs=False)
        _Differentiated(trial, own, "gradient of parameters", of_parameters).check()
        ways += 1
        ways += _is_tried(trial, "gradient of inputs", gradients_of_inputs, "if the parameters are frozen")
    if sum(map(is_floating, trial.reference.own_inputs)) > 1:
        alone = "if one input alone wants it"
        ways += _is_tried(trial, "gradient of each input", gradients_of_each_input, alone)
    if trial.reference.pace.level < LONG:
        ways += _is_tried(trial, "gradient", gradients, "if the input is transposed", given=turned_input)
        if trial.reference.case_inputs.is_elementwise:
            # Such as those above 6, where relu6 is constant: normal ones do not get there.
            ways += _is_tried(trial, "gradient", gradients, "if the input is eight times as large", given=_larger)
        between = "if another call comes between, or the backward pass runs twice"
        ways += _is_tried(trial, "gradient of two calls", gradients_of_two_calls, between)
    evidence = f"as autograd's, differentiated in {counted(ways, 'way')}"
    if trial.reference.pace.level >= LONG:
        return f"{evidence}; others {trial.reference.pace.why}"
    if own == torch.float64:
        return evidence
    try:
        with contextlib.suppress(CandidateRaised, NotTried):  # in double neither need take part
            _Differentiated(trial, torch.float64).check()
            evidence += ", and in float64"
    finally:
        trial.session.construct(own)
    return evidence


def _is_tried(
    trial: Trial, manner: str, find: Differentiating, where: str, given: Layout | None = None
) -> bool:
    """One more way to differentiate, which the reference need not allow. `given`: how an input lies in memory; that a
    program refuses one is seen in the cases."""
    name = where if given is not None else ""
    try:
        with contextlib.suppress(NotTried, *((CandidateRaised,) if given is not None else ())):
            _Differentiated(trial, trial.reference.dtype, manner, find, name=name, given=given).check()
            return True
    except (WrongResult, DoesNotHold) as exc:
        raise DoesNotHold(f"{where}: {exc}") from None
    return False


def _larger(value: torch.Tensor) -> torch.Tensor:
    return 8 * value


def gradient_layouts(trial: Trial) -> str:
    """Gradients that arrive as PyTorch's own operators send them: expanded by sum(), turned, and as a part."""
    for layout, like in ARRIVING.items():
        try:
            _Differentiated(trial, trial.reference.dtype, layout=like, name=layout).check()
        except (WrongResult, DoesNotHold) as exc:
            raise DoesNotHold(f"where it arrives {layout}: {exc}") from None
    return f"one arrives {', '.join(ARRIVING)}"


def double_backward(trial: Trial) -> str:
    """The gradient of the gradient, where the reference has one."""
    _Differentiated(trial, trial.reference.dtype, "double backward", second_gradients).check()
    return "as autograd's"


class _Differentiated:
    """One call of the candidate and of its backward pass, against the reference's. `find`: as the worker does in that
    manner; `layout`: of the gradient that arrives, `given`: of the inputs. Raises NotTried if the reference has no
    such gradient."""

    def __init__(
        self,
        trial: Trial,
        dtype: torch.dtype,
        manner: str = "gradient",
        find: Differentiating = gradients,
        layout: Layout = torch.Tensor.contiguous,
        name: str = "",
        given: Layout | None = None,
    ) -> None:
        self._trial, self._dtype, self._manner, self._find = trial, dtype, manner, find
        if trial.too_slow:
            raise NotTried(trial.too_slow[0])
        reference = trial.reference
        # New values each time: a program may remember a result, whose graph is gone after one backward pass.
        self._inputs = trial.small_inputs(f"{manner} {name}", dtype)
        if given is not None:
            self._inputs = [mapped(value, given) for value in self._inputs]
        expected = trial.expected(self._inputs, dtype=dtype)
        if expected.seed is not None:
            raise NotTried(None)  # random results are compared in the cases
        if expected.vectors:
            raise NotTried("the sign of each vector is arbitrary, and its gradient has the same")
        try:
            with refusal_of_the_reference():
                value = reference.call(reference.module(dtype), self._inputs)
                parts = floating_in(value)
                if not parts:
                    raise NotTried(None)
                self._value = as_one(parts)
                self._upstream = self._asked(parts, layout(trial.upstream(self._value)))
                with time_limit(_GRADIENT_S):
                    self._wanted = reference.gradients(
                        self._inputs, self._upstream, dtype, find, oracle=False
                    )
        except TakesTooLong as exc:
            trial.too_slow.append(f"PyTorch's own gradient of the reference takes longer than {_GRADIENT_S:g} s")
            raise NotTried(trial.too_slow[0]) from exc
        if all(right is None for right in self._wanted):
            raise NotTried(None)

    def _asked(self, parts: Sequence[torch.Tensor], upstream: torch.Tensor) -> torch.Tensor:
        """Of several results, zero at those that take no part in differentiation in the reference."""
        if len(parts) > 1:
            taking = taking_part(fresh(self._trial.reference.module(self._dtype)), self._inputs)
            arriving = upstream.split([one.numel() for one in parts])
            if not all(taking) and self._manner == "double backward":  # it is differentiated by what arrives as well
                raise NotTried(None)
            if not all(taking):
                return torch.cat([each * takes for each, takes in zip(arriving, taking, strict=True)])
        return upstream

    def check(self) -> None:
        """Raises WrongResult, DoesNotHold, RunEnded."""
        trial, reference, wanted = self._trial, self._trial.reference, self._wanted
        trial.session.construct(self._dtype)
        doing = "differentiating ModelNew" + (" twice" if self._manner == "double backward" else "")
        expected = reference.expected(self._inputs, self._dtype)
        result = trial.check(self._inputs, expected, doing, manner=self._manner, upstream=self._upstream)
        if not result.gradients:
            raise CandidateRaised("wrong", "The result takes no part in differentiation", None)
        before = 0 if self._manner == "gradient of parameters" else sum(map(is_floating, self._inputs))
        after = int(self._manner == "double backward")
        found = in_reference_order(trial, result.gradients, before, after)
        wanted = wanted if trial.session.state_loaded else wanted[: len(found)]
        require(len(found) == len(wanted), "other parameters have a gradient than the reference's")
        for number, (got, right) in enumerate(zip(found, wanted, strict=True)):
            if right is not None and (got is not None or right.any()):
                self._compare(number, got, right)

    def _compare(self, number: int, got: torch.Tensor | None, right: torch.Tensor) -> None:
        name = self._name(number)
        alike = got is not None and got.shape == right.shape and got.dtype == right.dtype
        require(alike, f"the gradient {name} is missing, or of another shape or dtype")
        assert got is not None
        if same_bits(got, right):
            return
        require(self._trial.reference.graded, f"the gradient {name} is not autograd's")
        oracle = self._wide.wide[number]
        assert oracle is not None
        kinks, rounding = (lambda: self._moved[number]), (lambda: self._rounded[number])
        compare_gradient(got, right, oracle, name, kinks, lambda: self._typical()[number], rounding)

    def _name(self, number: int) -> str:
        inputs = sum(is_floating(v) for v in self._inputs)
        if self._manner == "gradient of parameters":
            number += inputs
        if number < inputs:
            return "of the input" if inputs == 1 else f"of input {number + 1}"
        names = sorted(self._trial.reference.parameter_names)
        return f"of {names[number - inputs]}" if number - inputs < len(names) else "of the gradient"

    @functools.cached_property
    def _wide(self) -> Differentiation:
        """In float64; the reference's own, if it does not run in float64."""
        given = self._trial.reference, self._inputs, self._upstream
        try:
            with refusal_of_the_reference():
                wide = Differentiation(*given, (), self._find)
                return replace(wide, wide=_doubled(wide.again(self._inputs)))
        except NotTried:
            return Differentiation(*given, _doubled(self._wanted), self._find, self._dtype)

    @functools.cached_property
    def _moved(self) -> list[torch.Tensor | None]:
        return subgradient_tolerance(self._wide, self._value)

    @functools.cached_property
    def _rounded(self) -> list[torch.Tensor | None]:
        return rounding_tolerance(self._wide, self._dtype)

    def _typical(self) -> list[torch.Tensor | None]:
        """The gradients for some other one that arrives. What arrives from a sum() may cancel to nothing, and leave
        rounding errors only."""
        other = replace(self._wide, upstream=torch.randn_like(self._value))
        return _doubled(other.again(self._inputs))


def _doubled(found: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
    return [None if one is None else one.double() for one in found]


def in_reference_order(
    trial: Trial, gradients: list[torch.Tensor | None], before: int, after: int
) -> list[torch.Tensor | None]:
    """Gradients of parameters by the names that the reference has for them, between so many others before and after.
    Only those before, if it is not known which parameter is which; raises NotTried if there are none."""
    of_parameters = gradients[before : len(gradients) - after]
    if trial.session.matching == "by name" or not of_parameters:
        return gradients
    parameters = set(trial.reference.parameter_names)
    names = trial.session.names
    own = sorted(name for name, other in names.items() if other in parameters)
    if len(own) != len(of_parameters):
        if not before:
            raise NotTried("it is not known which of its parameters is which of the reference's")
        return gradients[:before]
    by_name = {names[name]: got for name, got in zip(own, of_parameters, strict=True)}
    return [
        *gradients[:before],
        *(by_name[name] for name in sorted(by_name)),
        *gradients[len(gradients) - after :],
    ]


def compare_gradient(
    got: torch.Tensor,
    right: torch.Tensor,
    wide: torch.Tensor,
    name: str,
    at_kinks: Callable[[], torch.Tensor | None],
    typical: Callable[[], torch.Tensor | None] = lambda: None,
    rounding: Callable[[], torch.Tensor | None] = lambda: None,
) -> None:
    """By the largest error, relative to the largest gradient; `right` is autograd's, `wide` that in float64. If
    autograd's is not finite, neither need it be.

    If the error is too large, three things are asked: `typical`, whose largest value the error is then relative to,
    if that is larger, and `rounding` and `at_kinks`, which are allowed in addition. Raises DoesNotHold.
    """
    without = ~(wide.isfinite() & right.isfinite()) & ~got.isfinite()
    scale = _largest(wide) or 1.0
    off, own = ((value.double() - wide).abs() / scale for value in (got, right))
    largest = float(own.nan_to_num(0.0, 0.0, 0.0).max()) if own.numel() else 0.0
    limit: float | torch.Tensor = max(_ORDER_FACTOR * largest, _least_limit(got))
    if bool(((off <= limit) | without).all()):  # NaN is not
        return
    usual = typical()
    if usual is not None and bool(((off * scale <= _least_limit(got) * _largest(usual)) | without).all()):
        return
    spread = rounding()
    if spread is not None:
        limit = limit + spread / scale
        if bool(((off <= limit) | without).all()):
            return
    moved = at_kinks()
    if moved is None or not bool(((off <= limit + _KINKS * moved / scale) | without).all()):
        worst = float(off[~without].nan_to_num(math.inf).max())
        raise DoesNotHold(f"the gradient {name} is off by {worst:.2g} of its largest value")


def _largest(gradient: torch.Tensor) -> float:
    return float(gradient.abs().nan_to_num(0.0, 0.0, 0.0).max()) if gradient.numel() else 0.0


def _least_limit(got: torch.Tensor) -> float:
    """The error that a gradient of that dtype may always have, relative to the largest."""
    return _LEAST_UNITS * float(torch.finfo(got.dtype).eps) / 2


def autocast(trial: Trial) -> str:
    """dtype and accuracy as the reference's under autocast to bfloat16."""
    reference = trial.reference
    inputs = trial.small_inputs("autocast")
    kind = reference.device.type
    with refusal_of_the_reference(), torch.autocast(kind, dtype=torch.bfloat16):
        wanted = reference.call(reference.module(reference.dtype), inputs)
    if not isinstance(wanted, torch.Tensor):
        raise NotTried(None)
    trial.session.construct(reference.dtype)
    result = trial.session.call(inputs, "calling ModelNew under autocast", manner="autocast")
    require(result.output is not None, "the result is no tensor on the device")
    assert result.output is not None
    got = str(result.output.dtype).removeprefix("torch.")
    right = str(wanted.dtype).removeprefix("torch.")
    require(result.output.dtype == wanted.dtype, f"the result is {got} instead of {right}")
    if same_bits(result.output, wanted):
        return f"{right}, bit for bit as PyTorch's"
    plain = trial.expected(inputs)
    if plain.seed is not None or plain.vectors:
        raise NotTried(None)  # random numbers of its own, and signs of vectors, are compared in the cases
    evidence = f"{right}, as PyTorch's"
    if result.output.dtype == plain.value.dtype and trial.comparer.agrees([result.output], plain):
        return evidence
    if plain.grade is None:  # indices among equal values, for one
        agrees = plain.value.dtype == wanted.dtype and trial.comparer.agrees([result.output], plain)
        require(agrees, "the values are not the reference's")
        return evidence
    oracle = plain.grade.right.oracle
    there = oracle.isfinite() & wanted.isfinite()
    scale = float(oracle[there].abs().max()) if bool(there.any()) else 1.0
    error, own = (
        float((value.double() - oracle)[there].abs().max()) / (scale or 1.0) if bool(there.any()) else 0.0
        for value in (result.output, wanted)
    )
    # A sum in two parts rounds twice, where the reference may have been lucky with its one rounding.
    most = max(2 * own, torch.finfo(wanted.dtype).eps)
    require(error <= most, f"the error is {error:.2g} of the largest value, the reference's {own:.2g}")
    return f"{right}, error {error:.2g} of the largest value; PyTorch's {own:.2g}"


def train_and_eval(trial: Trial) -> str:
    trial.small("train", "calling ModelNew in training mode")
    trial.small("eval", "calling ModelNew in evaluation mode")
    return "one call in each"
