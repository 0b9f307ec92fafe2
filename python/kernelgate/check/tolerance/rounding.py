"""How far rounding alone can move a result: Monte Carlo arithmetic on the reference's own operators.

In: a call of the reference in float64, and the dtype that a candidate computes in. Out: for each tensor of its result,
how far it moves when every operator rounds its result, and adds up its sums in another order, in that dtype; and which
kinds of operators there were. An element that moves a lot is one where honest programs differ a lot: beside a
cancellation, a long sum, a jump. Stochastic arithmetic: Parker, "Monte Carlo Arithmetic", 1997; the error of a sum of K
terms added one after another is Higham, "Accuracy and Stability of Numerical Algorithms", section 4.2, at random signs.
Not here: what of it is allowed (`check.tolerance.arithmetic`), comparing (`check.tolerance.numerics`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.operator_mode import OperatorMode, is_rounded, resolved
from kernelgate.check.tolerance.numerics import as_real
from kernelgate.check.tolerance.operator_kinds import (
    ATTENTION,
    CONVOLUTIONS,
    COUNTS,
    LINEAR,
    OF_A_MATRIX,
    OF_PROBABILITIES,
    PRODUCTS,
    SOFTMAX,
    added,
    adds_up,
    larger_factor,
    terms_of,
)
from kernelgate.check.tolerance.operator_steps import STEPS

ROUNDING_SAMPLES = 6
"""How often rounding is tried, where a call of the reference is cheap."""
_WIDER = {2: 2.0, 3: 1.5}
"""The largest of so few normal numbers is this much smaller than that of as many as usual, with some room."""
_FP32_UNIT = 2.0**-24
_FEW_DIGITS = 1024.0


@dataclass
class Operators:
    """What the operators of a reference do. `rounds`: some rounds at all; `sums`: some are not pointwise;
    `products`: some multiply matrices; `convolves`: some of these are convolutions; `only_linear`: they multiply and
    add, and nothing else rounds; `may_overflow`: a product may, multiplied in another order."""

    rounds: bool = False
    sums: bool = False
    products: bool = False
    convolves: bool = False
    only_linear: bool = True
    may_overflow: bool = False


class Rounding(OperatorMode):
    """Every operator's floating result is rounded at random to a number of `dtype`, by so many `times` what rounding
    moves it by. A result that is such a number already, or a constant that it was given, stays: so what takes numbers
    as they are, and sums of small whole numbers, are exact by themselves. `overflowing`: a product that may be infinite
    in another order is NaN."""

    def __init__(
        self,
        dtype: torch.dtype,
        seed: int,
        device: torch.device,
        operators: Operators,
        *,
        overflowing: bool = False,
        times: float = 1.0,
    ) -> None:
        super().__init__()
        self._dtype = dtype
        self._info = torch.finfo(dtype)
        self._overflowing = overflowing
        self._unit = unit = times * self._info.eps / 2
        # PyTorch, and any careful kernel, adds up a narrow dtype in float32.
        self._sum_unit = min(unit, times * _FP32_UNIT)
        self._generator = torch.Generator(device=device).manual_seed(seed)
        self._operators = operators

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name.removeprefix("aten::")
        if _is_view(func) or "empty" in name:
            return func(*args, **kwargs)
        args = resolved(func, args)
        if name in OF_A_MATRIX:
            args = [self._near(value) for value in args]
        if name in COUNTS and torch.equal(args[0], args[0].round()):
            return func(*args, **kwargs)
        if name in STEPS:
            return self._in_steps(name, args, kwargs)
        in_place = name.endswith("_") and func._schema.is_mutable
        name = name.removesuffix("_") if in_place else name
        pointwise = torch.Tag.pointwise in func.tags
        terms = -1 if adds_up(func, args, kwargs) else terms_of(name, args)
        if terms == 1 and not pointwise and torch.Tag.nondeterministic_seeded not in func.tags:
            before = args[0].clone() if in_place else None
            result = func(*args, **kwargs)
            if name not in COUNTS and not any(bool(one.any()) for one in self._off(args, result)):
                return result
            if before is not None:
                args[0].copy_(before)
            terms = 2  # what is not known to add up moves with what it is given all the same
        if in_place and terms < 0:  # the first argument is the result, too
            terms = max(2, _largest(args) // max(1, _largest(args[:1])))
        summed = name not in SOFTMAX | OF_PROBABILITIES
        if terms > 1 and summed and is_rounded(args[0]):
            result = func(*self._all_as_summed(func, args, terms), **kwargs)
        else:
            result = func(*args, **kwargs)
        if not any(is_rounded(tensor) for tensor in _tuple(result)):
            return result  # such as a comparison
        if terms < 0:
            terms = max(2, _largest(args) // max(1, _largest(_tuple(result)[:1])))
            if summed:
                result = func(*self._all_as_summed(func, args, terms), **kwargs)
        self._as_two_steps(name, args, result)
        off = self._off(args, result)
        if any(bool(one.any()) for one in off) or name in LINEAR:
            self._note(name, pointwise)
            self._round(result, off, self._unit + self._sum_unit * math.sqrt(terms / 3))
        if name in ("prod", "cumprod") and not in_place:
            self._in_another_order(name, args, result)
        return result

    def _off(self, args: Sequence[Any], result: Any) -> list[torch.Tensor]:
        """Where each tensor of a result is no number of the dtype, or one by chance, as what is made of a constant that
        is none may be; bool, as real. What an operator was given is no matter of rounding."""
        given = [as_real(one) for one in args if is_rounded(one)]
        floats = [torch.tensor(one, dtype=torch.float64) for one in args if isinstance(one, float)]
        strange = not all(map(self._is_number, floats))
        found = []
        for tensor in filter(is_rounded, _tuple(result)):
            if tensor.layout != torch.strided:
                raise NotImplementedError("rounding of a sparse tensor")
            values = as_real(tensor)
            off = ~self._is_number(values) | strange
            constants = [one for one in given if not one.dim() or (strange and one.shape == values.shape)]
            for one in (*floats, *constants):
                if one is not values:
                    off &= values != one.to(values.device)
            found.append(off)
        return found

    def _is_number(self, values: torch.Tensor) -> torch.Tensor:
        """Whether an element is one of the dtype, or infinite or NaN. All of a tensor that is no wider are: there
        multiples of 1/16 count."""
        if values.element_size() > self._dtype.itemsize:
            return (values.to(self._dtype).to(values.dtype) == values) | ~values.isfinite()
        return ((16 * values).round() == 16 * values) & (values.abs() < _FEW_DIGITS) | ~values.isfinite()

    def _round(self, result: Any, off: Sequence[torch.Tensor], relative: float) -> None:
        """In place, where it is `off`."""
        for tensor, here in zip(filter(is_rounded, _tuple(result)), off, strict=True):
            if tensor.numel():
                moved = as_real(tensor + self._change(tensor, relative))
                near = moved.to(self._dtype).to(moved.dtype)
                values = as_real(tensor)
                values.copy_(torch.where(here, torch.where(near.isfinite(), near, moved), values))

    def _in_another_order(self, name: str, args: Any, result: torch.Tensor) -> None:
        """A product along a dimension, in place, by what its partial products may lose below the smallest normal number
        in another order: a scan combines parts. Where one may be infinite although the product is not, or where that is
        infinite and one may be 0, any result is as good."""
        low, high = _sizes_along(name, args)
        smallest, step = float(self._info.smallest_normal), float(self._info.smallest_normal * self._info.eps) / 2
        largest = float(self._info.max)
        overflows = (high > largest) & ((result.abs() <= largest) | (low < step))
        part = torch.where(low < smallest, (step / low).clamp(max=1.0), 0.0)
        result.add_((result * part * self._noise(result, 1.0)).nan_to_num_(0.0, 0.0, 0.0))
        if bool((low < smallest).any()):
            result.add_(self._noise(result, step))
        if bool(overflows.any()):
            self._operators.may_overflow = True
            if self._overflowing:
                result.masked_fill_(overflows, math.nan)

    def _in_steps(self, name: str, args: Any, kwargs: Any) -> Any:
        """PyTorch, and any careful kernel, takes these steps in float32, and rounds their result alone to a narrow
        dtype."""
        outside = self._unit, self._dtype
        self._unit, self._dtype = self._sum_unit, torch.promote_types(self._dtype, torch.float32)
        try:
            with self:
                result = STEPS[name](*args, **kwargs)
        finally:
            self._unit, self._dtype = outside
        if self._unit > self._sum_unit:
            self._round(result, self._off((), result), self._unit)
        return result

    def _as_two_steps(self, name: str, args: Sequence[Any], result: Any) -> None:
        """A product and what is added to it, in place: a program may round the product before."""
        bias = added(name, args)
        if bias is not None and isinstance(result, torch.Tensor) and is_rounded(result) and result.numel():
            result.add_(self._change(result - bias, self._unit))

    def _note(self, name: str, pointwise: bool) -> None:
        seen = self._operators
        seen.rounds = True
        seen.sums = seen.sums or not pointwise
        seen.products = seen.products or name in PRODUCTS | CONVOLUTIONS or ATTENTION in name
        seen.convolves = seen.convolves or name in CONVOLUTIONS
        seen.only_linear = seen.only_linear and name in LINEAR

    def _all_as_summed(self, func: Any, args: Sequence[Any], terms: int) -> list[Any]:
        """The arguments of a sum, but for those that it writes to. Of two factors the smaller one moves, for both."""
        written = [one.alias_info is not None and one.alias_info.is_write for one in func._schema.arguments]
        larger = larger_factor(func._schema.name.removeprefix("aten::").removesuffix("_"), args)
        moved = []
        for number, value in enumerate(args):
            if written[number] or value is larger:
                moved.append(value)
            else:
                moved.append(self._as_summed(value, terms, 1.0 if larger is None else math.sqrt(2.0)))
        return moved

    def _near(self, value: Any) -> Any:
        """A matrix moved by rounding of its largest element: backward error, as in Golub and Van Loan, "Matrix
        Computations", section 2.7."""
        if not isinstance(value, torch.Tensor) or not is_rounded(value) or value.dim() < 2 or not value.numel():
            return value
        largest = value.abs().amax((-2, -1), keepdim=True)
        return value + (largest * self._noise(value, self._unit)).nan_to_num_(0.0, 0.0, 0.0).to(value.dtype)

    def _as_summed(self, value: Any, terms: int, times: float) -> Any:
        """Terms that are added up one after another: what the partial sums lose, as a change of the terms. A sum in
        parts rounds each part to the dtype of the result."""
        if not isinstance(value, torch.Tensor) or not is_rounded(value):
            return value
        relative = math.hypot(self._sum_unit * math.sqrt(terms / 2), self._unit)
        return value + self._change(value, times * relative)

    def _change(self, value: torch.Tensor, relative: float) -> torch.Tensor:
        """By how much rounding moves a value; an infinity, such as that of a mask, stays what it is."""
        return (value * self._noise(value, relative)).nan_to_num_(0.0, 0.0, 0.0).to(value.dtype)

    def _noise(self, like: torch.Tensor, relative: float) -> torch.Tensor:
        return _noise(like, relative, self._generator)


def _noise(like: torch.Tensor, relative: float, generator: torch.Generator) -> torch.Tensor:
    """Uniform, of that standard deviation; complex for a complex tensor, whose parts round apart."""
    if like.is_complex():
        return torch.complex(*(_noise(like.real, relative, generator) for _ in range(2)))
    if like.layout != torch.strided:
        raise NotImplementedError("rounding of a sparse tensor")
    width = relative * math.sqrt(3.0)
    kind = torch.float32 if width > 1e-12 else torch.float64
    noise = torch.empty(like.shape, dtype=kind, device=like.device)
    return noise.uniform_(-width, width, generator=generator)


def moved_by_rounding(
    dtype: torch.dtype, generator: torch.Generator
) -> Callable[[torch.Tensor], torch.Tensor]:
    """A change of tensors, which moves each element by about half the distance to the next number of `dtype`."""
    unit = torch.finfo(dtype).eps / 2

    def move(tensor: torch.Tensor) -> torch.Tensor:
        factor = 1 + _noise(tensor, unit, generator).to(torch.promote_types(tensor.dtype, torch.float64))
        return (tensor * factor).to(tensor.dtype)

    return move


def known_to_a_rounding(
    dtype: torch.dtype, generator: torch.Generator
) -> Callable[[torch.Tensor], torch.Tensor]:
    """The same to another number of the dtype; those of a narrower one than float32 are known. A number moves past no
    multiple of 1/16, and one that is such a multiple stays: there functions jump, and end."""
    unit = torch.finfo(dtype).eps / 2

    def move(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout != torch.strided or unit > _FP32_UNIT:
            return tensor
        with _disable_current_modes():  # what moves a number is no operator of the reference
            moved = (tensor + tensor * _noise(tensor, unit, generator)).to(dtype).to(tensor.dtype)
            return torch.minimum(torch.maximum(moved, (16 * tensor).floor() / 16), (16 * tensor).ceil() / 16)

    return move


def _sizes_along(name: str, args: Sequence[Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """The product of all sizes below 1, and of all above, for each element of a product along a dimension; a 0, which
    no order changes, has the size 1."""
    logs = args[0].abs().double().log2().masked_fill(args[0] == 0, 0.0)
    sides = logs.clamp(max=0.0), logs.clamp(min=0.0)
    if name == "cumprod":
        low, high = (side.cumsum(args[1]) for side in sides)
    elif len(args) > 1 and isinstance(args[1], int):
        low, high = (side.sum(args[1], keepdim=len(args) > 2 and bool(args[2])) for side in sides)
    else:
        low, high = (side.sum() for side in sides)
    return low.exp2(), high.exp2()


def _tuple(result: Any) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def _largest(values: Sequence[Any]) -> int:
    return max((value.numel() for value in values if isinstance(value, torch.Tensor)), default=1)


def _is_view(func: Any) -> bool:
    """Whether an operator's results share the memory of what it was given, which it does not write to."""
    returns = func._schema.returns
    return bool(returns) and all(
        one.alias_info is not None and not one.alias_info.is_write for one in returns
    )


def rounding_spread(
    call: Callable[[], Sequence[torch.Tensor]],
    oracle: Sequence[torch.Tensor],
    dtype: torch.dtype,
    seed: int,
    samples: int = ROUNDING_SAMPLES,
    note: Callable[[Sequence[torch.Tensor]], None] = lambda moved: None,
) -> tuple[list[torch.Tensor], Operators]:
    """How far each element of the result moves by rounding in `dtype`, in units of that dtype's rounding.

    `call`: computes the reference's tensors anew each time, in float64 if it can; `oracle`: its result. Returns
    float64 tensors of their shapes and device, in units of half the distance from 1 to the next number of `dtype`.
    Fewer `samples` than usual show less of it, which the largest that they show makes up for. Infinite where a product
    may overflow in another order, so that any result is as good. `note` gets the result of each sample.
    """
    unit = torch.finfo(dtype).eps / 2
    device = oracle[0].device if oracle else torch.device("cpu")
    operators = Operators()
    spread = [torch.zeros_like(right) for right in oracle]
    moved: Sequence[torch.Tensor] = []
    for sample in range(samples):
        # Entered first, the check comes last: what rounding moves may leave a range by it.
        with asserts_raise(device), Rounding(dtype, seed + sample, device, operators):
            moved = call()
        note(moved)
        for most, there, right in zip(spread, moved, oracle, strict=True):
            off = (there - right).abs().nan_to_num_(0.0, 0.0, 0.0)
            torch.maximum(most, off, out=most)
    if operators.may_overflow:
        with asserts_raise(device), Rounding(dtype, seed, device, operators, overflowing=True):
            broken = call()
        for most, there, other in zip(spread, broken, moved, strict=True):
            most.masked_fill_(there.isnan() & ~other.isnan(), math.inf)
    return [most.div_(unit / _WIDER.get(samples, 1.0)) for most in spread], operators
