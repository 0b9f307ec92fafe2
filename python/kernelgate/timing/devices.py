"""What data sheets say about devices: for dashed lines and predictions only, never for a share of the limit.

Dense rates, without sparsity. Sources: NVIDIA's data sheets of the A100 (2021), H100 and H200 (2024) and L40S (2023),
and the whitepaper of the Ada architecture (GeForce RTX 4090).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Vendor:
    """Bytes a second of device memory, and operations a second by arithmetic."""

    name: str
    memory: float
    fp32: float
    tf32: float
    fp16: float


_KNOWN = {
    "A100-SXM4-80GB": Vendor("A100 SXM 80 GB", 2.039e12, 19.5e12, 156e12, 312e12),
    "A100-SXM4-40GB": Vendor("A100 SXM 40 GB", 1.555e12, 19.5e12, 156e12, 312e12),
    "A100-PCIE-40GB": Vendor("A100 PCIe 40 GB", 1.555e12, 19.5e12, 156e12, 312e12),
    "H100 80GB HBM3": Vendor("H100 SXM", 3.35e12, 66.9e12, 494.7e12, 989.4e12),
    "H200": Vendor("H200 SXM", 4.8e12, 66.9e12, 494.7e12, 989.4e12),
    "L40S": Vendor("L40S", 0.864e12, 91.6e12, 183e12, 362e12),
    "RTX 4090": Vendor("GeForce RTX 4090", 1.008e12, 82.6e12, 82.6e12, 165.2e12),
}
TARGET = _KNOWN["A100-SXM4-80GB"]


def vendor(device_name: str) -> Vendor | None:
    """The data sheet of a device, by the driver's whole name for it: one of a like name is cut or clocked otherwise.
    None for one that is not listed."""
    name = device_name.removeprefix("NVIDIA ").removeprefix("GeForce ")
    return _KNOWN.get(name)
