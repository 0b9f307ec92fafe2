"""Whether a module gives something else when it is called once more on the same inputs.

In: calls of a reference. Out: whether its result depends on the calls before. On a GPU, sums that are added up in any
order differ from call to call as well, and say nothing of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from kernelgate.check.problem import is_out_of_memory

_SHARE = 1e-3
_UNITS = 8.0  # of a narrow dtype, whose sums in another order differ by more than that share


def gives_another_result(
    call: Callable[[torch.nn.Module], list[torch.Tensor]],
    module: torch.nn.Module,
    before: Sequence[torch.Tensor],
    *,
    anew: Callable[[], torch.nn.Module],
) -> bool:
    """Whether `call` gives something else than `before`, what it gave of the same module. `anew`: makes another one."""
    try:
        again = call(module)
        if about_equal(again, before):
            return False
        return about_equal(call(anew()), before) or not about_equal(again, before, of_largest=_share(before))
    except Exception as exc:  # such as one that may be called once
        return not is_out_of_memory(exc)


def _share(values: Sequence[torch.Tensor]) -> float:
    floating = [one.dtype for one in values if one.is_floating_point()]
    return max([_SHARE, *(_UNITS * float(torch.finfo(dtype).eps) for dtype in floating)])


def about_equal(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor], *, of_largest: float = 0.0) -> bool:
    """Whether two results agree within a thousandth of each element, or within a share of the largest one."""

    def slack(value: torch.Tensor) -> float:
        largest = value.abs().nan_to_num(0.0, 0.0, 0.0).max() if of_largest and value.numel() else 0.0
        return max(1e-8, of_largest * float(largest))

    def agree(a: torch.Tensor, b: torch.Tensor) -> bool:
        if not a.is_floating_point() and not a.is_complex():
            return bool(torch.equal(a, b))
        return a.shape == b.shape and bool(torch.isclose(a, b, rtol=_SHARE, atol=slack(b), equal_nan=True).all())

    return len(one) == len(other) and all(map(agree, one, other))
