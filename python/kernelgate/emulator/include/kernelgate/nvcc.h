// What nvcc adds to every .cu file before its first line; forced in front of cuda.cu, never of main.cpp.
// The macros are those of nvcc and of the flags that torch gives it. Device code is the side that is compiled,
// so __CUDA_ARCH__ is defined everywhere: 800, 900 for a program that needs sm_90a, or what a person asks for
// (translate/architecture.py).
#pragma once
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#ifdef KERNELGATE_SM90
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_FEAT_SM90_ALL 1
#elif defined(KERNELGATE_ARCH)
#define __CUDA_ARCH__ KERNELGATE_ARCH
#else
#define __CUDA_ARCH__ 800
#endif
#define __KERNELGATE_EMULATION__ 1
#include <kernelgate/standard.h>

#include <cuda_runtime.h>
