"""The reference with one of its operators left out, along another dimension, by another formula, or for another one.

In: a call of the reference. Out: for each such change its result, and words for what is changed. A mistake that people
make in a kernel is often one step of the reference that is missing, or taken along the wrong dimension.
Not here: whether a result fits (`judge.reference.explained`).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional as F

from kernelgate.check.operator_mode import OperatorMode
from kernelgate.report.wrong_values import LosesDigits, OtherFormula

_EPSILONS = (1e-3, 1e-5, 1e-6, 1e-8, 1e-12)
_WORDS = {
    "is_causal": ("with a causal mask", "without a causal mask"),
    "count_include_pad": ("with padding counted in the mean", "with padding left out of the mean"),
    "align_corners": ("with align_corners=True", "with align_corners=False"),
    "largest": ("with the largest in place of the smallest", "with the smallest in place of the largest"),
    "descending": ("in descending order", "in ascending order"),
    "log_target": ("with a target in logarithms", "with a target not in logarithms"),
}
"""Of arguments that are True or False: with the one, with the other."""


def other_values(
    argument: str, number: int, words: str, args: Sequence[Any]
) -> Iterator[tuple[str, int, Any]]:
    """Words, to stand after "the values are what the reference gives", the number of the argument, and its other
    value. `words`: the operator's name."""
    value, first = args[number], args[0]
    if argument in ("dim", "dims"):
        yield from _other_dims(number, words, value, first)
    elif argument == "training" and value in (True, False):
        statistics = "the running statistics" if value else "the batch's statistics"
        # Without a running mean and variance, PyTorch ends the process that is to use them.
        if number == 5 and all(isinstance(one, torch.Tensor) for one in args[3:5]):
            yield f"with {words} by {statistics}", number, not value
    elif argument in _WORDS and value in (True, False):
        yield _WORDS[argument][bool(value)], number, not value
    elif argument == "eps" and isinstance(value, float):
        for other in _EPSILONS:
            if other != value:
                yield f"with {other:g} in place of {value:g} as the epsilon of its {words}", number, other
    elif argument == "group" and isinstance(value, int):
        for other in (1, 2 * value, value // 2):
            if other not in (value, 0):
                yield f"with {other} in place of {value} groups in its {words}", number, other
    elif argument == "diagonal" and isinstance(value, int):
        for other in (value - 1, value + 1):
            yield f"with {words} at diagonal {other} in place of {value}", number, other
    elif argument == "shifts" and isinstance(value, list) and any(value):
        yield f"with {words} the other way", number, [-by for by in value]


def _other_dims(number: int, words: str, value: Any, first: Any) -> Iterator[tuple[str, int, Any]]:
    rank = first.dim() if isinstance(first, torch.Tensor) else 0
    single = value[0] if isinstance(value, list) and len(value) == 1 else value
    if type(single) is not int or rank < 2:
        return
    own = single % rank
    for dim in range(rank):
        if dim != own:
            put: Any = [dim] if isinstance(value, list) else dim
            yield f"with {words} along dimension {dim} in place of {own}", number, put


_MOST_CHANGES = 96
_COPIES = {"clone", "_to_copy", "copy_", "detach", "lift_fresh", "expand", "zero_", "fill_", "constant_pad_nd"}
_WITH_BIAS = {"addmm": 0, "addmv": 0, "baddbmm": 0, "addbmm": 0, "convolution": 2}
_NAMES = {
    **dict.fromkeys(("native_batch_norm", "_native_batch_norm_legit"), "batch normalization"),
    **dict.fromkeys(("addmm", "baddbmm", "bmm", "mm"), "matrix product"),
    "native_group_norm": "group normalization",
    "native_layer_norm": "layer normalization",
    "_log_softmax": "log_softmax",
    "linalg_vector_norm": "norm",
}
_PAIRS = ("add sub", "mul div", "amax amin", "max min", "argmax argmin", "maximum minimum")
_OPPOSITES = {one: other for pair in _PAIRS for one, other in itertools.permutations(pair.split())}

Apply = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
Activation = Callable[[torch.Tensor], torch.Tensor]
_NAMED = "relu gelu silu sigmoid tanh leaky_relu elu mish softplus hardswish hardsigmoid relu6"
ACTIVATIONS: dict[str, Activation] = {name: getattr(F, name) for name in _NAMED.split()}


@dataclass(frozen=True)
class _Change:
    """`position`: of the operator among all that the call runs. `order`: the likelier mistakes come first."""

    position: int
    words: str
    order: int
    name: str
    apply: Apply


def other_operators(call: Callable[[], Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Words, to stand after "the values are what the reference gives", and a call that gives what it then gives, which
    may raise whatever PyTorch raises."""
    listing = _Listing()
    with listing:
        call()
    places: dict[str, list[int]] = {}
    for change in listing.found:
        known = places.setdefault(change.words, [])
        if change.position not in known:
            known.append(change.position)
    for change in sorted(listing.found, key=lambda change: change.order)[:_MOST_CHANGES]:
        yield _words(change, places[change.words]), functools.partial(_changed, call, change)


def _words(change: _Change, positions: Sequence[int]) -> str:
    if len(positions) == 1:
        return change.words
    return f"{change.words} ({positions.index(change.position) + 1} of {len(positions)})"


def _changed(call: Callable[[], Any], change: _Change) -> Any:
    with _Changing(change):
        return call()


class _Changing(OperatorMode):
    def __init__(self, change: _Change) -> None:
        super().__init__()
        self._change, self._position = change, -1

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._position += 1
        if self._position == self._change.position and name == self._change.name:
            return self._change.apply(func, args, kwargs)
        result = func(*args, **kwargs)
        if "empty" in name and isinstance(result, torch.Tensor) and result.is_floating_point():
            # Without the operator nothing may write this memory, and it may still hold a candidate's result.
            result.fill_(math.nan)
        return result


class _Listing(OperatorMode):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[_Change] = []
        self._position = -1

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._position += 1
        result = func(*args, **kwargs)
        if len(self.found) < 4 * _MOST_CHANGES and not func.is_view and name not in _COPIES:
            for order, (words, apply) in _changes(func, args, result):
                self.found.append(_Change(self._position, words, order, name, apply))
        return result


def _changes(func: Any, args: tuple[Any, ...], result: Any) -> Iterator[tuple[int, tuple[str, Apply]]]:
    name = _name(func)
    words = _NAMES.get(name, name.strip("_").removeprefix("native_"))
    yield from ((0, one) for one in _left_out(func, words, args, result))
    place = _WITH_BIAS.get(name)
    if place is not None and len(args) > place and isinstance(args[place], torch.Tensor):
        yield 1, (f"without the bias of its {words}", _without_bias(place))
    args = _with_defaults(func, args)
    for number, argument in enumerate(func._schema.arguments):
        if number < len(args):
            order = -1 if argument.name == "training" else 2  # without any, batches are not normalized at all
            for said, place, value in other_values(argument.name, number, words, args):
                yield order, (said, _put(place, value))
    opposite = getattr(torch.ops.aten, _OPPOSITES.get(name, ""), None) if name in _OPPOSITES else None
    other = getattr(opposite, func._overloadname, None) if opposite is not None else None
    if other is not None:
        yield 3, (f"with {_OPPOSITES[name]} in place of {words}", lambda _func, a, k: other(*a, **k))
    own = name.removesuffix("_")
    if own in ACTIVATIONS or own == "hardtanh":
        for other_name, function in ACTIVATIONS.items():
            if other_name != own:
                apply = functools.partial(_activation, function, func._schema.is_mutable)
                yield 4, (f"with {other_name} in place of {words}", apply)
    elif "_pad" in own and own != "constant_pad_nd" and len(args) > 1:
        mode = "replicate" if own.startswith("reflection") else "reflect"
        yield 4, (f"with padding by {mode}", lambda _func, a, k: F.pad(a[0], list(a[1]), mode=mode))
        yield 4, ("with padding by zeros", lambda _func, a, k: F.pad(a[0], list(a[1])))


def _with_defaults(func: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """And those that were not given, as far as they may be given without a name."""
    rest = itertools.takewhile(
        lambda one: one.has_default_value() and not one.kwarg_only, func._schema.arguments[len(args) :]
    )
    return (*args, *(one.default_value for one in rest))


def _left_out(func: Any, words: str, args: Sequence[Any], result: Any) -> Iterator[tuple[str, Apply]]:
    """Where one of its arguments could stand for the result."""
    first = result[0] if isinstance(result, tuple | list) and result else result
    if not isinstance(first, torch.Tensor) or not first.is_floating_point():
        return
    for number, value in enumerate(args):
        if isinstance(value, torch.Tensor) and value.shape == first.shape and value.dtype == first.dtype:
            yield f"without its {words}", _instead(number)
            if _name(func) not in ("add", "sub", "mul", "div"):
                return


def _instead(number: int) -> Apply:
    def apply(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if func._schema.is_mutable:
            return args[0] if number == 0 else args[0].copy_(args[number])
        value = args[number].clone()
        if len(func._schema.returns) == 1:
            return value
        return (value, *func(*args, **kwargs)[1:])

    return apply


def _without_bias(place: int) -> Apply:
    def apply(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        changed = list(args)
        changed[place] = None if _name(func) == "convolution" else torch.zeros_like(args[place])
        return func(*changed, **kwargs)

    return apply


def _activation(function: Activation, in_place: bool, _func: Any, args: tuple[Any, ...], _kwargs: Any) -> Any:
    result = function(args[0])
    return args[0].copy_(result) if in_place else result


def _put(number: int, value: Any) -> Apply:
    def apply(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        every = _with_defaults(func, args)
        changed = func(*every[:number], value, *every[number + 1 :], **kwargs)
        if isinstance(changed, list) and len(changed) != len(func(*args, **kwargs)):
            raise ValueError("another number of parts")  # PyTorch's own C++ does not look at how many it gets
        return changed

    return apply


def _name(func: Any) -> str:
    name: str = func._schema.name.removeprefix("aten::")
    return name


Formula = Callable[..., torch.Tensor]


def _tanh_gelu(x: torch.Tensor, **_options: Any) -> torch.Tensor:
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + torch.tanh(inner))


def _erf_gelu(x: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    if approximate == "none":  # the reference's own formula, and no other one
        return torch.nn.functional.gelu(x)
    return 0.5 * x * (1 + torch.erf(x * 0.7071067811865476))


def _elu(x: torch.Tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> torch.Tensor:
    return scale * torch.where(x > 0, x, alpha * (torch.exp(x * input_scale) - 1))


@dataclass(frozen=True)
class Other:
    """Another formula. `wrong`: what a result is that fits it."""

    wrong: OtherFormula
    by_name: Mapping[str, Formula]

    @property
    def loses_digits(self) -> bool:
        """Whether it is the same function, computed so that small results lose digits."""
        return self.wrong.kind == "loses_digits"


def _softplus(x: torch.Tensor, beta: float = 1.0, threshold: float = 20.0) -> torch.Tensor:
    return torch.where(x * beta > threshold, x, torch.log(1 + torch.exp(x * beta)) / beta)


def _half_away(x: torch.Tensor) -> torch.Tensor:
    return torch.copysign(torch.floor(x.abs() + 0.5), x)


_FORMULAS = (
    Other(OtherFormula("gelu by erf"), {"gelu": _erf_gelu}),
    Other(OtherFormula("gelu by tanh"), {"gelu": _tanh_gelu}),
    Other(OtherFormula("half away"), {"round": _half_away, "round_": _half_away}),
    Other(LosesDigits("exp - 1"), {"elu": _elu, "elu_": _elu, "expm1": lambda x: torch.exp(x) - 1}),
    Other(
        LosesDigits("log(1 + exp)"),
        {
            "softplus": _softplus,
            "log1p": lambda x: torch.log(1 + x),
            "mish": lambda x: x * torch.tanh(_softplus(x)),
            "log_sigmoid_forward": lambda x: (-_softplus(-x), x),
        },
    ),
)


class _Replacing(OperatorMode):
    """`widely`: in float32, if the dtype is narrower, as most kernels compute in it."""

    def __init__(self, formulas: Mapping[str, Formula], *, widely: bool) -> None:
        super().__init__()
        self._formulas = formulas
        self._widely = widely
        self.used = False

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        formula = self._formulas.get(name)
        if formula is None or func._overloadname not in ("default", ""):
            return func(*args, **kwargs)
        self.used = True
        x, *more = args
        if self._widely and x.dtype in (torch.float16, torch.bfloat16):
            return formula(x.float(), *more, **kwargs).to(x.dtype)
        return formula(*args, **kwargs)


def other_formulas(call: Callable[[], Any]) -> Iterator[tuple[Other, Any]]:
    """Each formula that changes what `call` does, and what it then gives."""
    for other in _FORMULAS:
        with _Replacing(other.by_name, widely=not other.loses_digits) as replacing:
            result = call()
        if replacing.used:
            yield other, result


def fits(
    got: torch.Tensor, value: torch.Tensor, there: torch.Tensor, slack: torch.Tensor, other: Other
) -> bool:
    """Whether a result is another formula's. `value`: PyTorch's own result; `there`: that of the formula; `slack`:
    float64, by how much an element may differ in any case. All of one shape."""
    off = (there.double() - value.double()).abs()
    # Libraries lose different digits, but about as many.
    more = 2 * off.nan_to_num(0.0, 0.0, 0.0).max() if other.loses_digits else off / 4
    near = (got.double() - there.double()).abs() <= slack + more
    return bool(off.any()) and bool((near | ~value.isfinite()).all())
