"""Other formulas for PyTorch's functions that programs often use: what the reference would give with them.

In: a call of the reference. Out: for each formula that it could have used, its result and a name in words. A
result that fits one of them is wrong by its formula, and not by the arithmetic that it was computed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.operator_mode import OperatorMode
from kernelgate.report.wrong_values import LosesDigits, OtherFormula

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


_FORMULAS = (
    Other(OtherFormula("gelu by erf"), {"gelu": _erf_gelu}),
    Other(OtherFormula("gelu by tanh"), {"gelu": _tanh_gelu}),
    Other(LosesDigits("exp - 1"), {"elu": _elu, "elu_": _elu, "expm1": lambda x: torch.exp(x) - 1}),
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
