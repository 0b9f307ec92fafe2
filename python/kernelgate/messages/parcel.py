"""Tensors on their way between judge and worker, as plain data: what they are, and where their memory is.

A tensor's memory is a sealed-off file in memory, whose descriptor travels beside the message (`kind` "memory"), or
memory of the GPU named by a CUDA IPC handle ("ipc"). Not here: making and opening them (`backend.memory`), so that
messages can be read without torch.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Size = Annotated[int, Meta(ge=0, le=1 << 48)]


class IpcHandle(msgspec.Struct):
    """The plain data that PyTorch needs to open a storage of another process, in the order of its own function."""

    device: Annotated[int, Meta(ge=0, le=255)]
    handle: Annotated[bytes, Meta(max_length=256)]
    size_bytes: Size
    offset_bytes: Size
    ref_counter_handle: Annotated[bytes, Meta(max_length=256)]
    ref_counter_offset: Size
    event_handle: Annotated[bytes, Meta(max_length=256)]
    event_sync_required: bool


class Parcel(msgspec.Struct, tag="tensor"):
    """A tensor. `shape`, `stride` and `offset` count elements; `storage_bytes` is the memory they index.

    `result_stride` is the stride of the tensor as it was, where only its elements travel, in row-major order.
    """

    dtype: Annotated[str, Meta(max_length=20)]
    shape: Annotated[list[Size], Meta(max_length=64)]
    stride: Annotated[list[Annotated[int, Meta(ge=-(1 << 48), le=1 << 48)]], Meta(max_length=64)]
    offset: Size
    storage_bytes: Size
    kind: Literal["memory", "ipc"]
    descriptor: Annotated[int, Meta(ge=0, le=63)] = 0
    """Which of the descriptors beside the message holds the memory."""
    start: Size = 0
    """The byte of that file at which the tensor's memory begins: all tensors of a message share one."""
    ipc: IpcHandle | None = None
    result_stride: (
        Annotated[list[Annotated[int, Meta(ge=-(1 << 48), le=1 << 48)]], Meta(max_length=64)] | None
    ) = None


def parcels_in(record: Any) -> list[Parcel]:
    """Every parcel in a message, or in a part of one."""
    if isinstance(record, Parcel):
        return [record]
    if isinstance(record, msgspec.Struct):
        return [found for name in record.__struct_fields__ for found in parcels_in(getattr(record, name))]
    if isinstance(record, dict):
        return [found for part in record.values() for found in parcels_in(part)]
    if isinstance(record, list):
        return [found for part in record for found in parcels_in(part)]
    return []


class BadParcel(ValueError):
    """A parcel whose numbers do not fit together."""
