"""The emulator's own libraries in this process: scheduler, guarded memory, fault handler and facade, through ctypes.

In: the libraries. Out: `Native`, a thin face of their C functions.
Not here: building them (`libraries`), torch (`torch_surface`), the meaning of fault lines (`faults`).
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

ORDERS = ("normal", "reversed", "shuffled")
SIDES = ("end", "start")
_REPORT_BYTES = 64 * 1024
_COSTS_BYTES = 256 * 1024
_MOST_WORKERS = 4


class Native:
    def __init__(self, runtime: Path, facade: Path, allocator: Path) -> None:
        # Global, so that extensions find their names in the process and need no path to them.
        self._runtime = ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
        self._facade = ctypes.PyDLL(str(facade), mode=ctypes.RTLD_GLOBAL)
        self._facade.kernelgate_register_operators.restype = ctypes.py_object
        self._runtime.kernelgate_set_order.argtypes = [ctypes.c_int, ctypes.c_uint64]
        for name in ("overwritten", "findings", "costs"):
            function = getattr(self._runtime, f"kernelgate_{name}")
            function.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
            function.restype = ctypes.c_size_t
        self._runtime.kernelgate_failed_launch.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
        self._runtime.kernelgate_failed_launch.restype = ctypes.c_size_t
        self._runtime.kernelgate_launches.restype = ctypes.c_uint64
        self._runtime.kernelgate_skip_launches.argtypes = [ctypes.c_int]
        self._runtime.kernelgate_set_poison.argtypes = [ctypes.c_uint64]
        self._runtime.kernelgate_limit_launches.argtypes = [ctypes.c_double]
        self._runtime.kernelgate_put.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self._runtime.kernelgate_place.argtypes = [ctypes.c_void_p]
        self._runtime.kernelgate_last_error_detail.restype = ctypes.c_char_p
        self._runtime.kernelgate_note_host.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.give = self.function("give", None, ctypes.c_void_p)
        self._guarding = False
        self._allocator = ctypes.CDLL(str(allocator))
        self.set_workers(min(_MOST_WORKERS, len(os.sched_getaffinity(0))))

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """A function of the runtime, by its name without "kernelgate_"."""
        found = getattr(self._runtime, f"kernelgate_{name}")
        found.restype, found.argtypes = result, list(arguments)
        return found

    def last_check(self) -> tuple[str, int, str] | None:
        """Unit, line and message of the last TORCH_CHECK of a program that failed."""
        unit, message = ctypes.c_char_p(), ctypes.c_char_p()
        line: int = self._facade.kernelgate_last_check(ctypes.byref(unit), ctypes.byref(message))
        if not line:
            return None
        texts = [(value.value or b"").decode(errors="replace") for value in (unit, message)]
        return texts[0], line, texts[1]

    def register_operators(self) -> None:
        """Those of the libraries that have been loaded since the last call. Raises what their registration raises."""
        self._facade.kernelgate_register_operators()

    def install_fault_handler(self, descriptor: int) -> None:
        self._runtime.kernelgate_install_fault_handler(descriptor)

    def set_order(self, name: str, seed: int) -> None:
        self._runtime.kernelgate_set_order(ORDERS.index(name), seed)

    def set_workers(self, count: int) -> None:
        self._runtime.kernelgate_set_workers(count)

    def guard_tensors(self, on: bool, side: str) -> None:
        self._runtime.kernelgate_set_guarded_side(SIDES.index(side))
        self._allocator.kernelgate_guard_tensors(int(on))
        self._guarding = on

    def overwritten(self) -> list[bytes]:
        return self._lines(self._runtime.kernelgate_overwritten)

    def findings(self) -> list[bytes]:
        return self._lines(self._runtime.kernelgate_findings)

    def failed_launch(self, *, raised: bool) -> list[bytes]:
        buffer = ctypes.create_string_buffer(_REPORT_BYTES)
        used = self._runtime.kernelgate_failed_launch(buffer, _REPORT_BYTES, int(raised))
        return buffer.raw[:used].splitlines()

    def _lines(self, function: Any) -> list[bytes]:
        buffer = ctypes.create_string_buffer(_REPORT_BYTES)
        used = function(buffer, _REPORT_BYTES)
        return buffer.raw[:used].splitlines()

    def count_costs(self, on: bool) -> None:
        self._runtime.kernelgate_count_costs(int(on))

    def costs(self) -> list[bytes]:
        buffer = ctypes.create_string_buffer(_COSTS_BYTES)
        used = self._runtime.kernelgate_costs(buffer, _COSTS_BYTES)
        return buffer.raw[:used].splitlines()

    def examine(self) -> None:
        self._runtime.kernelgate_examine()

    def examine_anew(self) -> None:
        self._runtime.kernelgate_examine_anew()

    def set_poison(self, pattern: int) -> None:
        self._runtime.kernelgate_set_poison(pattern)

    def launches(self) -> int:
        """How many kernels were launched so far."""
        count: int = self._runtime.kernelgate_launches()
        return count

    def skip_launches(self, skip: bool) -> None:
        """Has launches do nothing, or run their kernels again."""
        self._runtime.kernelgate_skip_launches(int(skip))

    def limit_launches(self, seconds: float) -> None:
        self._runtime.kernelgate_limit_launches(seconds)

    def put(self, address: int, place: int) -> None:
        """Says where the guarded tensor at an address is; other memory stays unknown."""
        self._runtime.kernelgate_put(address, place)

    def note_host(self, address: int, size_bytes: int) -> None:
        """Says that memory which is none of a guarded tensor is the host's, until such a tensor comes to lie there."""
        if self._guarding:
            self._runtime.kernelgate_note_host(address, size_bytes)

    def place(self, address: int) -> int:
        place: int = self._runtime.kernelgate_place(address)
        return place

    def take_launch_error(self) -> str | None:
        """The error of a launch that no one has looked at, and forgets it."""
        if not self._runtime.kernelgate_last_error(1):
            return None
        detail: bytes = self._runtime.kernelgate_last_error_detail()
        return detail.decode(errors="replace") or "a CUDA call failed"
