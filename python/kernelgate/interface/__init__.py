"""`KernelInterface`: CUDA source with a forward and a backward kernel, bound as an operator of PyTorch."""

from kernelgate.interface.kernel_interface import KernelInterface as KernelInterface
