"""JSON to records, strictly, in any thread.

In: what another process, a file or a program says. Out: a record, or msgspec.DecodeError.
Not here: the emulator's one line, which it reads itself; and sending (`messages.channel`).

msgspec works out a type when it first decodes it, and shows other threads what is half done: two threads that decode a
`Report` for the first time at once end the process with a segmentation fault (seen with msgspec 0.22.0). Here types are
worked out one at a time, before anything is decoded.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")

_working_out = threading.Lock()
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


@overload
def decoded(data: bytes | str, kind: type[T]) -> T: ...
@overload
def decoded(data: bytes | str, kind: Any) -> Any: ...
def decoded(data: bytes | str, kind: Any) -> Any:
    """The record that `data` tells, of a type or a union of types. Raises msgspec.DecodeError if it tells none."""
    try:
        return worked_out(kind).decode(data)
    except (UnicodeError, RecursionError) as exc:  # msgspec lets these two through
        raise msgspec.DecodeError(str(exc)) from exc


def worked_out(kind: Any) -> msgspec.json.Decoder[Any]:
    """The decoder of a type. It is made where the type's module can be found, which a process may have removed later
    (`worker.disguised`)."""
    with _working_out:
        if kind not in _decoders:
            _decoders[kind] = msgspec.json.Decoder(kind)
        return _decoders[kind]
