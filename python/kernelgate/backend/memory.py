"""Packing tensors into parcels and opening parcels: files in host memory, and CUDA IPC.

In: tensors, or parcels that another process sent. Out: the other. A parcel is untrusted until it is checked, and the
receiver always copies before it looks: the sender may go on writing.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import stat
from collections.abc import Sequence
from typing import Any

import msgspec
import torch

from kernelgate.backend import tensor_methods as methods
from kernelgate.check.problem import is_out_of_memory
from kernelgate.messages.parcel import BadParcel, IpcHandle, Parcel, parcels_in

DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name)
    for name in (
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "float8_e4m3fn",
        "float8_e5m2",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "bool",
        "complex64",
        "complex128",
    )
}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}


def dtype_of(name: str) -> torch.dtype:
    """The dtype of that name; raises BadParcel for one that cannot be sent."""
    try:
        return DTYPES[name]
    except KeyError:
        raise BadParcel(f"dtype {name[:20]!r}") from None


def extent(shape: Sequence[int], stride: Sequence[int], offset: int) -> int:
    """How many elements of storage a view spans; raises BadParcel for one that starts before the storage."""
    if len(shape) != len(stride):
        raise BadParcel("shape and stride of different lengths")
    if any(n == 0 for n in shape):
        return offset
    if any(s < 0 for s in stride):
        raise BadParcel("a negative stride")
    return offset + 1 + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))


def check(parcel: Parcel) -> torch.dtype:
    """The parcel's dtype, after checking that its view lies within its memory. Raises BadParcel."""
    dtype = dtype_of(parcel.dtype)
    reach = extent(parcel.shape, parcel.stride, parcel.offset) * dtype.itemsize
    if math.prod(parcel.shape) and reach > parcel.storage_bytes:
        raise BadParcel(f"a view of {reach} bytes in a memory of {parcel.storage_bytes}")
    return dtype


def check_answer(answer: Any, descriptors: Sequence[int]) -> None:
    """Before any tensor of an answer is opened, and anything is allocated for it: that its memory is there, all of it
    at once, and its elements lie beside each other. Raises BadParcel."""
    parcels = parcels_in(answer)
    asked = 0
    for parcel in parcels:
        dtype = check(parcel)
        if math.prod(parcel.shape) * dtype.itemsize > parcel.storage_bytes:
            raise BadParcel(f"{math.prod(parcel.shape):,} elements in a memory of {parcel.storage_bytes:,} bytes")
        asked += parcel.storage_bytes if parcel.kind == "memory" else 0
    there = sum(map(_held_bytes, descriptors)) if asked else 0
    if asked > there:
        raise BadParcel(f"a memory of {there:,} bytes instead of {asked:,}")


def _held_bytes(descriptor: int) -> int:
    """The bytes that a file occupies; 0 for what is no file. Its size proves nothing: a file may have holes."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return 0
    return status.st_blocks * 512 if stat.S_ISREG(status.st_mode) else 0


_MOST_AT_ONCE = 1 << 28  # bytes of one read or write

# --- host memory ----------------------------------------------------------------------------------------------------


def storage_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """The whole storage of a tensor as bytes; shape (n,), uint8, on the tensor's device, sharing its memory."""
    storage = methods.untyped_storage(tensor)
    place = methods.empty(0, dtype=torch.uint8, device=tensor.device)
    bytes_: torch.Tensor = methods.set_(place, storage, 0, (methods.storage_nbytes(storage),), (1,))
    return bytes_


def appended(data: torch.Tensor, descriptor: int) -> int:
    """Writes bytes (uint8, CPU, shape (n,)) at the end of a file in memory; returns where they begin."""
    size = methods.numel(data)
    if not size:
        return 0
    start = -(-os.fstat(descriptor).st_size // mmap.PAGESIZE) * mmap.PAGESIZE
    # Written, not mapped: the pages of a new mapping come one fault at a time, which takes twice as long.
    view = _memory_at(methods.data_pointer(data), size)
    done = 0
    while done < size:
        done += os.pwrite(descriptor, view[done : done + _MOST_AT_ONCE], start + done)
    return start


def read_memory(descriptor: int, start: int, size: int) -> torch.Tensor:
    """`size` bytes of a file in memory from `start` on; uint8, CPU, shape (n,). Raises BadParcel if it is shorter.

    Copied with read, never mapped: a file that the sender cuts short would kill a process that has it mapped.
    """
    try:
        there = os.fstat(descriptor).st_size
    except OSError as exc:
        raise BadParcel("no memory came with it") from exc
    if start + size > there:
        raise BadParcel(f"a memory of {there} bytes instead of {start + size}")
    data = torch.empty(size, dtype=torch.uint8)
    if not size:
        return data
    view = _memory_at(data.data_ptr(), size)
    done = 0
    while done < size:
        try:
            count = os.preadv(descriptor, [view[done : done + _MOST_AT_ONCE]], start + done)
        except OSError as exc:  # a pipe or a device instead of a file
            raise BadParcel("its memory cannot be read") from exc
        if count == 0:
            raise BadParcel(f"a memory of {done} bytes instead of {size}")
        done += count
    return data


def _memory_at(address: int, size: int) -> memoryview:
    """`size` bytes of this process. Not numpy(): torch works without numpy, and so does this."""
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")


def pack_host(tensor: torch.Tensor, descriptors: list[int]) -> Parcel:
    """A CPU tensor with its storage and strides as they are. `descriptors`: of the message; the first is the file in
    memory that all its tensors share, and is made here if there is none."""
    data = storage_bytes(tensor)
    if not descriptors:
        descriptors.append(os.memfd_create("shared", os.MFD_CLOEXEC))
    return Parcel(
        dtype=DTYPE_NAMES[tensor.dtype],
        shape=methods.shape(tensor),
        stride=list(methods.stride(tensor)),
        offset=methods.storage_offset(tensor),
        storage_bytes=methods.numel(data),
        kind="memory",
        start=appended(data, descriptors[0]),
    )


def unpack_host(parcel: Parcel, descriptors: Sequence[int]) -> torch.Tensor:
    """A CPU tensor in memory of its own. Raises BadParcel."""
    dtype = check(parcel)
    if parcel.kind != "memory" or parcel.descriptor >= len(descriptors):
        raise BadParcel("no memory came with it")
    data = read_memory(descriptors[parcel.descriptor], parcel.start, parcel.storage_bytes)
    return view_of(data, parcel, dtype)


def view_of(data: torch.Tensor, parcel: Parcel, dtype: torch.dtype) -> torch.Tensor:
    """The parcel's tensor on a storage of bytes (uint8, shape (n,)), sharing its memory."""
    return torch.empty(0, dtype=dtype, device=data.device).set_(
        data.untyped_storage(), parcel.offset, tuple(parcel.shape), tuple(parcel.stride)
    )


# --- memory of the GPU ----------------------------------------------------------------------------------------------


def pack_cuda(tensor: torch.Tensor) -> Parcel:
    """A CUDA tensor by CUDA IPC; the memory must stay alive until the receiver has copied it."""
    storage: Any = tensor.untyped_storage()
    handle = None
    if storage.nbytes():
        parts = storage._share_cuda_()
        handle = IpcHandle(
            device=parts[0],
            handle=parts[1],
            size_bytes=parts[2],
            offset_bytes=parts[3],
            ref_counter_handle=parts[4],
            ref_counter_offset=parts[5],
            event_handle=parts[6],
            event_sync_required=parts[7],
        )
    return Parcel(
        dtype=DTYPE_NAMES[tensor.dtype],
        shape=list(tensor.shape),
        stride=list(tensor.stride()),
        offset=tensor.storage_offset(),
        storage_bytes=storage.nbytes(),
        kind="ipc",
        ipc=handle,
    )


def unpack_cuda(parcel: Parcel, device: torch.device) -> torch.Tensor:
    """A view of another process's CUDA memory; the caller copies it. Raises BadParcel."""
    dtype = check(parcel)
    if parcel.kind != "ipc":
        raise BadParcel("not a tensor on the device")
    if device.type != "cuda":
        raise BadParcel("memory of a GPU, and there is none")
    if parcel.ipc is None:
        if math.prod(parcel.shape):
            raise BadParcel("elements without memory")
        return torch.empty_strided(tuple(parcel.shape), tuple(parcel.stride), dtype=dtype, device=device)
    storage: Any = torch.UntypedStorage
    try:
        opened = storage._new_shared_cuda(*msgspec.structs.astuple(parcel.ipc))
    except (RuntimeError, TypeError, ValueError) as exc:  # a handle that nobody has made
        if is_out_of_memory(exc):
            raise  # the receiver has no room to open it, which is no fault of the sender
        raise BadParcel(f"its memory on the GPU cannot be opened: {str(exc)[:200]}") from exc
    if opened.nbytes() < parcel.storage_bytes:
        raise BadParcel("less memory than it says")
    return torch.empty(0, dtype=dtype, device=device).set_(
        opened, parcel.offset, tuple(parcel.shape), tuple(parcel.stride)
    )


# --- either ---------------------------------------------------------------------------------------------------------


def packed(tensor: torch.Tensor, descriptors: list[int]) -> Parcel:
    """A tensor with its storage and strides: by CUDA IPC where it lies on a GPU, and through host memory if it does
    not, or where IPC is refused (some containers). `descriptors`: of the message, as in `pack_host`."""
    if not tensor.is_cuda:
        return pack_host(tensor, descriptors)
    torch.cuda.synchronize(tensor.device)
    if _ipc_refused:
        return _through_the_host(tensor, descriptors)
    try:
        return pack_cuda(tensor)
    except RuntimeError:
        _ipc_refused.append(True)
        return _through_the_host(tensor, descriptors)


def opened(parcel: Parcel, descriptors: Sequence[int], device: torch.device) -> torch.Tensor:
    """A parcel's tensor on the device. By IPC it is the sender's own memory. Raises BadParcel."""
    if parcel.kind == "ipc":
        return unpack_cuda(parcel, device)
    host = unpack_host(parcel, descriptors)
    if device.type == "cpu":
        return host
    data = storage_bytes(host).to(device)
    return view_of(data, parcel, host.dtype)


# Remembered for the process: it would be refused every time. KERNELGATE_IPC=off avoids IPC where it hangs or breaks.
_ipc_refused: list[bool] = [True] if os.environ.get("KERNELGATE_IPC") == "off" else []


def _through_the_host(tensor: torch.Tensor, descriptors: list[int]) -> Parcel:
    data = storage_bytes(tensor).cpu()
    host = torch.empty(0, dtype=tensor.dtype).set_(
        data.untyped_storage(), tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride())
    )
    return pack_host(host, descriptors)
