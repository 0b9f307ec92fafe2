// For a program that is compiled with torch's own headers, after the last of them: all memory is the CPU's, so that
// what the program says of CUDA is said of the CPU.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#define is_cuda() is_cpu()
#define cuda() alias()
#define kCUDA kCPU
#define pinned_memory(wanted) pinned_memory(false)
#define pin_memory() alias()

#undef TORCH_LIBRARY_IMPL
#define TORCH_LIBRARY_IMPL(ns, k, m) _TORCH_LIBRARY_IMPL(ns, KERNELGATE_KEY_##k, m, C10_UID)
#ifdef STABLE_TORCH_LIBRARY_IMPL
#undef STABLE_TORCH_LIBRARY_IMPL
#define STABLE_TORCH_LIBRARY_IMPL(ns, k, m) _STABLE_TORCH_LIBRARY_IMPL(ns, KERNELGATE_KEY_##k, m, C10_UID)
#endif
#define KERNELGATE_KEY_CUDA CPU
#define KERNELGATE_KEY_AutogradCUDA AutogradCPU
#define KERNELGATE_KEY_AutocastCUDA AutocastCPU
// What the program would do on a CPU is not what is checked.
#define KERNELGATE_KEY_CPU XPU
#define KERNELGATE_KEY_AutogradCPU AutogradXPU
#define KERNELGATE_KEY_AutocastCPU AutocastXPU
#define KERNELGATE_KEY_Meta Meta
#define KERNELGATE_KEY_Autograd Autograd
#define KERNELGATE_KEY_ADInplaceOrView ADInplaceOrView
#define KERNELGATE_KEY_BackendSelect BackendSelect
#define KERNELGATE_KEY_CompositeExplicitAutograd CompositeExplicitAutograd
#define KERNELGATE_KEY_CompositeExplicitAutogradNonFunctional CompositeExplicitAutogradNonFunctional
#define KERNELGATE_KEY_CompositeImplicitAutograd CompositeImplicitAutograd
#define KERNELGATE_KEY_FuncTorchBatched FuncTorchBatched
#define KERNELGATE_KEY_FuncTorchBatchedDecomposition FuncTorchBatchedDecomposition
#define KERNELGATE_KEY_Functionalize Functionalize
#define KERNELGATE_KEY_Python Python
#define KERNELGATE_KEY_Tracer Tracer
