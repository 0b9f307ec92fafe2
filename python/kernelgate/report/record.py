"""What all records of a report are made of: the base class, and bounded texts and numbers.

No number is beyond what a run can reach, and none beyond what JavaScript computes with: a chart's axis is made from it.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(max_length=120)]
Words = Annotated[str, Meta(max_length=600)]
Sentences = Annotated[str, Meta(max_length=1200)]
Code = Annotated[str, Meta(max_length=4000)]
Log = Annotated[str, Meta(max_length=20000)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
"""What JSON keeps exactly on its way through JavaScript."""
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Ratio = Annotated[float, Meta(ge=1e-12, le=1e12)]
Part = Annotated[float, Meta(ge=0, le=1e12)]
"""A quantity over what there is of it: 1 for all."""
Rate = Annotated[float, Meta(ge=0, le=1e24)]
"""Bytes or operations a second."""
Distance = Annotated[float, Meta(ge=0, le=1e300)]
"""How far a result is off; only ever read, and on no axis."""


class Record(msgspec.Struct):
    """Base of all records of a report; fields of a later version are let through."""
