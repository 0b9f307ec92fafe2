// The keywords of CUDA C++. `__shared__` and <<<...>>> are rewritten in the source (launches.py, shared.py).
#pragma once
#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
// `__noinline__` is rewritten in the source too: libstdc++ writes __attribute__((__noinline__)) itself.
#define __builtin_assume(condition) static_cast<void>(0)
#define __trap() ::kernelgate_trap()
