"""What processes send each other: plain data, checked for type and size when it is decoded.

Every process imports this package, and it imports none of theirs, and no torch. Here: bounded texts, whose length is
checked when a message is decoded.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

Text = Annotated[str, Meta(max_length=2_000_000)]
Line = Annotated[str, Meta(max_length=2000)]
CostText = Annotated[str, Meta(max_length=8192)]
FaultText = Annotated[str, Meta(max_length=8192)]
