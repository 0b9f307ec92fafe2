"""Which parameters a module of a run has: by name, so that judge and worker construct the same one.

Not here: the parameters themselves (`judge.reference.reference`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

State = Literal[
    "own",
    "integers",
    "changed",
    "large",
    "varied",
    "varied negative",
    "varied zero",
    "varied large",
    "as constructed",
]
"""The varied ones were constructed with other arguments; "as constructed": none loaded."""

@dataclass
class Assignment:
    """Which of a candidate's tensors stand for which of the reference's, by `check.parameter_names`: one choice for all
    sizes of a run. None: its own stay, made from the seed that the reference's were made from."""

    number: int | None = 0


VARIED: dict[State, float] = {
    "varied": 0.75,
    "varied negative": -0.5,
    "varied zero": 0.0,
    "varied large": 3.0,
}
"""What the floats of a constructor are multiplied by, to see that they are taken."""


def varied(value: float, state: State) -> float:
    """A constructor's number in that state. A large one is beyond 1, where much that holds below does not: the larger
    of x and a * x is a leaky ReLU only for an a below 1."""
    other = value * VARIED[state]
    return other if state != "varied large" or abs(other) > 1 else math.copysign(1 + abs(value), value)


LARGE = 30.0
"""Times the parameters of a fresh module, as training makes them."""
