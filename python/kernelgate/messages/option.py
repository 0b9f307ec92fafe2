"""How a person writes a field of a job: the one description of an option.

The shell's and the magics' parsers, their completion, and the signatures and docstrings of `kernelgate.verify` and its
kin are all made from these (`commands.options`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Use = Literal["source", "every", "timing"]


@dataclass(frozen=True)
class Option:
    """Stands in the annotation of a field of `Job`.

    `metavar`: what stands for the value in a shell. `name`, `flag`: if they are not the field's own, as `timeout`
    for `limits`. `written`: the type as a person writes it in Python; the field's own if None. `default`: what a
    signature shows. `values`: what completion offers. `read` makes the field's value of what was written, or raises
    UsageError. `repeats`: the flag may be given several times. `use`: "source" says which problem, "every" belongs to
    each run, "timing" to one that takes times.
    """

    help: str
    metavar: str = ""
    name: str = ""
    flag: str = ""
    written: Any = None
    default: Any = ...
    values: tuple[str, ...] = ()
    read: Callable[[Any], Any] | None = None
    repeats: bool = False
    use: Use = "every"
