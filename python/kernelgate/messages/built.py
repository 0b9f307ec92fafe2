"""What a successful build reports."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Line = Annotated[str, Meta(max_length=2000)]


class BuiltExtension(msgspec.Struct):
    """One extension, built or found in the cache. `seconds` is wall time, `compiler` its name and version, `library`
    the path of what was built."""

    name: Line
    lane: Literal["emulation", "load_inline"]
    seconds: Annotated[float, Meta(ge=0)]
    cached: bool
    compiler: Line = ""
    library: Line = ""
    quick: bool = False
    """Whether its two sides were compiled apart."""
