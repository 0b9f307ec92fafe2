"""What all records of a report are made of: the base class, and bounded texts and numbers."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(max_length=120)]
Words = Annotated[str, Meta(max_length=600)]
Sentences = Annotated[str, Meta(max_length=1200)]
Code = Annotated[str, Meta(max_length=4000)]
Log = Annotated[str, Meta(max_length=20000)]
Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]


class Record(msgspec.Struct):
    """Base of all records of a report; fields of a later version are let through."""
