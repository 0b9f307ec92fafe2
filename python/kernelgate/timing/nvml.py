"""What the driver reports while times are taken: clock, temperature, power, slow-downs, other processes.

By NVML, through NVIDIA's own `nvidia-ml-py`, which the extra `kernelgate[gpu]` brings; if it cannot, it says why.
It sets and locks nothing.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Watch:
    """Readings of one device. `slowed`: whether it was slowed down at the last reading, by heat or by a brake.
    `silent`: why nothing is read; "" if it is."""

    clocks_mhz: list[int] = field(default_factory=list)
    temperature_c: int | None = None
    power_w: int | None = None
    slowed: bool = False
    power_capped: bool = False
    others: set[int] = field(default_factory=set)
    silent: str = ""
    _nvml: Any = None
    _handle: Any = None

    @classmethod
    def of(cls, uuid: str) -> Watch:
        """A watch on a device, by the driver's UUID of it; without NVML, one that reads nothing."""
        watch = cls()
        try:
            import pynvml
        except ImportError:
            watch.silent = "pip install kernelgate[gpu] brings what reads them"
            return watch
        try:
            pynvml.nvmlInit()
            watch._handle = pynvml.nvmlDeviceGetHandleByUUID(
                uuid if uuid.startswith("GPU-") else f"GPU-{uuid}"
            )
        except Exception as exc:  # times are taken whatever a driver or its library lacks
            watch.silent = f"NVML says {exc}"
            return watch
        watch._nvml = pynvml
        return watch

    def read(self, ours: set[int] | None = None) -> None:
        """Now. `ours`: the processes of this run."""
        if self._nvml is None:
            return
        nvml, handle = self._nvml, self._handle
        with contextlib.suppress(nvml.NVMLError):
            self.clocks_mhz.append(int(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)))
        with contextlib.suppress(nvml.NVMLError):
            self.temperature_c = int(nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU))
        with contextlib.suppress(nvml.NVMLError):
            self.power_w = int(nvml.nvmlDeviceGetPowerUsage(handle)) // 1000
        with contextlib.suppress(nvml.NVMLError):
            reasons = int(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
            slow = (
                nvml.nvmlClocksThrottleReasonHwSlowdown
                | nvml.nvmlClocksThrottleReasonSwThermalSlowdown
                | nvml.nvmlClocksThrottleReasonHwThermalSlowdown
                | nvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown
            )
            self.slowed = bool(reasons & slow)
            self.power_capped = self.power_capped or bool(reasons & nvml.nvmlClocksThrottleReasonSwPowerCap)
        with contextlib.suppress(nvml.NVMLError):
            running = {int(p.pid) for p in nvml.nvmlDeviceGetComputeRunningProcesses(handle)}
            # In a container NVML may number processes as the host does: then processes cannot be distinguished.
            if os.getpid() in running:
                self.others |= running - (ours or set())
