"""Cache lines that a program keeps across calls: an access policy window makes lines of L2 "persisting", and writing
more than fits does not drive those out. A kernel timed with a cold cache would then find its input there.

By the driver's own interface (CUDA Driver API, "Context Management"), bound when this module is imported, before any
candidate is. Without a driver it does nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

_LIMIT = 0x06  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE


def _load() -> ctypes.CDLL | None:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        driver.cuCtxGetLimit.argtypes = [ctypes.POINTER(ctypes.c_size_t), ctypes.c_int]
        driver.cuCtxSetLimit.argtypes = [ctypes.c_int, ctypes.c_size_t]
        driver.cuCtxResetPersistingL2Cache.argtypes = []
    except (OSError, AttributeError):  # no driver, or one older than CUDA 11
        return None
    return driver


_driver = _load()
_pointer = ctypes.byref


def set_aside() -> int:
    """Bytes of L2 that the current context keeps for persisting lines; 0 in a process that never asked for any."""
    nbytes = ctypes.c_size_t()
    if _driver is None or _driver.cuCtxGetLimit(_pointer(nbytes), _LIMIT) != 0:
        return 0
    return nbytes.value


@contextlib.contextmanager
def given_up(nbytes: int) -> Iterator[None]:
    """In the body no line persists, and all of L2 is shared; afterwards `nbytes` are set aside again.

    The device must have finished what makes lines persist."""
    if _driver is None:
        yield
        return
    _driver.cuCtxSetLimit(_LIMIT, 0)
    _driver.cuCtxResetPersistingL2Cache()
    yield
    _driver.cuCtxSetLimit(_LIMIT, nbytes)
