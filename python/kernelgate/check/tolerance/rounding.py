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
from kernelgate.check.operator_mode import OperatorMode, by_name, is_rounded, resolved
from kernelgate.check.tolerance.operator_kinds import (
    ARITHMETIC,
    ATTENTION,
    CONVOLUTIONS,
    COUNTS,
    EXACT,
    LINEAR,
    NORMS,
    OF_A_MATRIX,
    OF_PROBABILITIES,
    PRODUCTS,
    REDUCTIONS,
    SOFTMAX,
    SUMS_ALONG,
    TO_WHOLE,
)
from kernelgate.check.tolerance.partial_products import PartialProducts
from kernelgate.check.tolerance.steps import STEPS

ROUNDING_SAMPLES = 6
"""How often rounding is tried, where a call of the reference is cheap."""
_WIDER = {2: 2.0, 3: 1.5}
"""The largest of so few normal numbers is this much smaller than that of as many as usual, with some room."""
_FP32_UNIT = 2.0**-24


@dataclass
class Operators:
    """What the operators of a reference do. `rounds`: some rounds at all; `sums`: some are not pointwise;
    `products`: some multiply matrices; `convolves`: some of these are convolutions; `only_linear`: they multiply and
    add, and nothing else rounds; `may_overflow`: a product may, multiplied in another order; `to_whole`: some round to
    whole numbers."""

    rounds: bool = False
    sums: bool = False
    products: bool = False
    convolves: bool = False
    only_linear: bool = True
    may_overflow: bool = False
    to_whole: bool = False


class Rounding(OperatorMode):
    """Every operator's floating result is moved at random by what rounding in `dtype` moves it by, or so many `times`
    of it. `overflowing`: a product that may be infinite in another order is NaN."""

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
        self._overflowing = overflowing
        self._partial = PartialProducts(torch.finfo(dtype))
        self._unit = unit = times * torch.finfo(dtype).eps / 2
        # PyTorch, and any careful kernel, adds up a narrow dtype in float32.
        self._sum_unit = min(unit, times * _FP32_UNIT)
        self._generator = torch.Generator(device=device).manual_seed(seed)
        self._operators = operators

    def call(self, func: Any, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
        given = by_name(func, args, kwargs)  # of one place, what is put there may be added up
        adds_up = given.get("accumulate") is True or isinstance(given.get("reduce"), str)
        in_place = name.endswith("_") and func._schema.is_mutable
        exact = name in EXACT or (in_place and name.removesuffix("_") in EXACT)
        kind = kwargs.get("dtype")
        eight_bits = isinstance(kind, torch.dtype) and kind.is_floating_point and kind.itemsize == 1
        self._operators.to_whole |= name.removesuffix("_") in TO_WHOLE or eight_bits
        # The magnitude of complex numbers rounds.
        sized = name in ("abs", "abs_", "sgn") and isinstance(args[0], torch.Tensor) and args[0].is_complex()
        if (exact and not adds_up and not sized) or _is_view(func):
            return func(*args, **kwargs)
        args = resolved(func, args)
        if name in OF_A_MATRIX:
            args = [self._near(value) for value in args]
        if name in COUNTS and torch.equal(args[0], args[0].round()):
            return func(*args, **kwargs)
        if name in STEPS:
            if name in NORMS:  # half, rounded at each step
                args = self._all_as_summed(func, args, _terms(name, args))
            return self._in_steps(name, args, kwargs)
        name = name.removesuffix("_") if in_place else name
        pointwise = torch.Tag.pointwise in func.tags
        # What is not known to add up, and not element by element either, moves with what it is given all the same.
        least = 1 if pointwise else 2
        terms = -1 if adds_up else _terms(name, args)
        if in_place and terms < 0:  # the first argument is the result, too
            terms = _largest(args) // max(1, _largest(args[:1]))
        terms = max(least, terms) if terms >= 0 else terms
        summed = name not in SOFTMAX | OF_PROBABILITIES
        if terms > 1 and summed and is_rounded(args[0]):
            result = func(*self._all_as_summed(func, args, terms), **kwargs)
        else:
            result = func(*args, **kwargs)
        if not any(is_rounded(tensor) for tensor in _tuple(result)):
            return result  # such as a comparison
        if terms < 0:
            terms = max(least, _largest(args) // max(1, _largest(_tuple(result)[:1])))
            if terms > 1 and summed:
                result = func(*self._all_as_summed(func, args, terms), **kwargs)
        self._note(name, pointwise)
        self._as_two_steps(name, args, result)
        relative = self._unit + self._sum_unit * math.sqrt(terms / 3)
        keeps = self._operators.to_whole and name in ARITHMETIC
        for tensor in _tuple(result):
            if is_rounded(tensor) and tensor.numel():
                change = self._change(tensor, relative)
                # Half-way between two whole numbers, the change would make any of the two right.
                tensor.add_(change.masked_fill_(self._is_exact(args, tensor), 0.0) if keeps else change)
        if not in_place:
            self._in_another_order(name, args, kwargs, result, terms)
        return result

    def _is_exact(self, args: Sequence[Any], result: torch.Tensor) -> torch.Tensor:
        exact = self._are_numbers(result)
        for value in args:
            if is_rounded(value):
                exact = exact & self._are_numbers(value)
            elif isinstance(value, float):
                exact = exact & self._are_numbers(torch.tensor(value, dtype=torch.float64, device=result.device))
        return exact

    def _are_numbers(self, value: torch.Tensor) -> torch.Tensor:
        return value.to(self._dtype).to(value.dtype) == value

    def _in_another_order(self, name: str, args: Any, kwargs: Any, result: Any, terms: int) -> None:
        """A product, in place, by what its partial products may lose in another order."""
        self._partial.add_sum(result, terms)
        loss = self._partial.loss(name, args, kwargs, result)
        if loss is None:
            return
        lost = result * loss.part * self._noise(result, 1.0)
        result.add_(lost.nan_to_num_(0.0, 0.0, 0.0)).add_(self._noise(result, loss.amount))
        if bool(loss.overflows.any()):
            self._operators.may_overflow = True
            if self._overflowing:
                result.masked_fill_(loss.overflows, math.nan)

    def _in_steps(self, name: str, args: Any, kwargs: Any) -> Any:
        """PyTorch, and any careful kernel, takes these steps in float32, and rounds their result alone to a narrow
        dtype."""
        outside, self._unit = self._unit, self._sum_unit
        try:
            with self:
                result = STEPS[name](*args, **kwargs)
        finally:
            self._unit = outside
        for tensor in _tuple(result) if outside > self._sum_unit else ():
            tensor.add_(self._change(tensor, outside))
        return result

    def _as_two_steps(self, name: str, args: Sequence[Any], result: Any) -> None:
        """A product and what is added to it, in place: a program may round the product before."""
        bias = _added(name, args)
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
        larger = _larger_factor(func._schema.name.removeprefix("aten::").removesuffix("_"), args)
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
    """The same by a rounding of the arithmetic, which is float32's for a narrower dtype. A number moves past no
    multiple of 1/16, and one that is such a multiple stays: there functions jump, and end."""
    unit = min(torch.finfo(dtype).eps / 2, _FP32_UNIT)

    def move(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout != torch.strided:
            return tensor
        with _disable_current_modes():  # what moves a number is no operator of the reference
            moved = tensor + tensor * _noise(tensor, unit, generator)
            return torch.minimum(torch.maximum(moved, (16 * tensor).floor() / 16), (16 * tensor).ceil() / 16)

    return move


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


def _added(name: str, args: Sequence[Any]) -> torch.Tensor | None:
    """What is added to a product by the same operator, of a shape that fits its result."""
    if name in ("addbmm", "addmm", "addmv", "addr", "baddbmm"):
        return args[0] if isinstance(args[0], torch.Tensor) else None
    if name in CONVOLUTIONS and len(args) > 2 and isinstance(args[2], torch.Tensor):
        return args[2].reshape(-1, *([1] * (args[0].dim() - 2)))
    return None


def _larger_factor(name: str, args: Sequence[Any]) -> Any:
    """Of two tensors that are multiplied; None for any other sum."""
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    factors = tensors[-2:] if name in PRODUCTS else tensors[:2] if name in CONVOLUTIONS else []
    return max(factors, key=torch.Tensor.numel) if len(factors) == 2 and factors[0] is not factors[1] else None


def _terms(name: str, args: Sequence[Any]) -> int:
    """How many terms are added up for one element of the result; -1: as the sizes of argument and result say."""
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    if name in PRODUCTS:
        return int(tensors[-2].shape[-1]) if len(tensors) > 1 else 1
    if name in CONVOLUTIONS:
        transposed = next((value for value in args[6:7] if isinstance(value, bool)), False)
        weight = tensors[1]
        return int(weight.numel() // max(1, weight.shape[1 if transposed else 0]))
    if ATTENTION in name:
        return int(max(tensors[0].shape[-1], tensors[1].shape[-2]))
    if name in SUMS_ALONG and len(args) > 1 and isinstance(args[1], int) and tensors[0].dim():
        return int(tensors[0].shape[args[1]])
    if name.startswith("_fft_"):
        return math.prod(int(tensors[0].shape[dim]) for dim in args[1])
    if name.startswith("avg_pool"):
        kernel = args[1]
        return math.prod(kernel) if len(kernel) > 1 else int(kernel[0]) ** int(name[-2])
    if name in ("_cdist_forward", "_pdist_forward"):
        return int(tensors[0].shape[-1])
    if "embedding_bag" in name and len(tensors) > 2:
        _weights, indices, offsets = tensors[:3]
        return max(2, int(indices.numel()) // max(1, int(offsets.numel())))
    if name in NORMS:
        return max(2, int(tensors[0].numel()) // max(1, _groups(name, tensors)))
    if name in REDUCTIONS:
        return -1
    return 1


def _groups(name: str, tensors: Sequence[torch.Tensor]) -> int:
    first = tensors[0]
    if "batch_norm" in name:
        return int(first.shape[1]) if first.dim() > 1 else 1
    return int(first.shape[0]) if first.dim() else 1


def rounding_spread(
    call: Callable[[], Sequence[torch.Tensor]],
    oracle: Sequence[torch.Tensor],
    dtype: torch.dtype,
    seed: int,
    samples: int = ROUNDING_SAMPLES,
    note: Callable[[Sequence[torch.Tensor]], None] | None = None,
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
        knew = operators.to_whole
        # Entered first, the check comes last: what rounding moves may leave a range by it.
        with asserts_raise(device), Rounding(dtype, seed + sample, device, operators):
            moved = call()
        if operators.to_whole and not knew:
            with asserts_raise(device), Rounding(dtype, seed + sample, device, operators):
                moved = call()
        if note is not None:
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
