"""Which parameters a module of a run has: by name, so that judge and worker construct the same one.

Not here: the parameters themselves (`judge.reference`).
"""

from __future__ import annotations

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

VARIED: dict[State, float] = {
    "varied": 0.75,
    "varied negative": -0.5,
    "varied zero": 0.0,
    "varied large": 3.0,
}
"""What the floats of a constructor are multiplied by, to see that they are taken."""
LARGE = 30.0
"""Times the parameters of a fresh module, as training makes them."""
