"""Which parameters a module of a run has: by name, so that judge and worker construct the same one.

Not here: the parameters themselves (`judge.reference.reference`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

State = Literal[
    "own",
    "integers",
    "changed",
    "rows exchanged",
    "one element",
    "whole numbers moved",
    "large",
    "varied",
    "as constructed",
]
""" "rows exchanged": those of "changed", two rows of each in each other's place; "one element": so too, and an element
of one of them another, which `Reference.pick` names; "whole numbers moved": the own ones, whole numbers elsewhere in
their row; "varied": constructed with other arguments, those of `Reference.vary`; "as constructed": none loaded."""

@dataclass
class Assignment:
    """Which of a candidate's tensors stand for which of the reference's, by `worker.module_state`: one choice for all
    sizes of a run. None: its own stay, made from the seed that the reference's were made from."""

    number: int | None = 0


FACTORS = (0.75, -0.5, 3.0)
"""What the floats of a constructor are multiplied by, to see that they are taken."""


def times(init: Sequence[Any], factor: float) -> list[Any] | None:
    """A constructor's arguments with their floats multiplied; None without any. A large one is beyond 1, where much
    that holds below does not: the larger of x and a * x is a leaky ReLU only for an a below 1."""

    def other(value: float) -> float:
        near = factor > 1 >= abs(value * factor)
        return math.copysign(1 + abs(value), value) if near else value * factor

    floats = any(isinstance(value, float) for value in init)
    return [other(value) if isinstance(value, float) else value for value in init] if floats else None


LARGE = 30.0
"""Times the parameters of a fresh module, as training makes them."""
