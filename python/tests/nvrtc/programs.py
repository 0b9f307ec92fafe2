"""Small sources that g++ takes: what a GPU's compiler refuses of them, and honest ones that look alike.

Whether nvcc 13.0 builds each of them has been tried with PyTorch's flags; those with wrong PTX, by NVRTC 13 alone.
"""

from __future__ import annotations

from dataclasses import dataclass

K = "__global__ void k(float* x, int n) "


@dataclass(frozen=True)
class Refused:
    """`says`: a part of the report; the line of the fault ends with //!"""

    name: str
    source: str
    says: str

    @property
    def line(self) -> int:
        return next(i for i, row in enumerate(self.source.split("\n"), start=1) if row.endswith("//!"))


REFUSED = (
    Refused(
        "an instruction that PTX does not have",
        f'{K}{{\n  asm("maxx.f32 %0, %1, %2;" : "=f"(x[0]) : "f"(x[1]), "f"(x[2]));  //!\n'
        '  asm volatile("nanosleep.u32 20;");\n}',
        "inline PTX: Not a name of any known instruction: 'maxx'",
    ),
    Refused(
        "a register of PTX that nothing declares",
        f'{K}{{\n  asm volatile("nanosleep.u32 20;");\n  asm("mov.f32 %0, missing;" : "=f"(x[0]));  //!\n}}',
        "inline PTX: Arguments mismatch for instruction 'mov'",
    ),
    Refused(
        "host function in a kernel",
        f"float half_of(float v) {{ return v / 2; }}\n{K}{{\n  x[0] = half_of(x[1]);  //!\n}}",
        "kernel k uses half_of, which is for the host alone",
    ),
    Refused(
        "host function in a device function",
        "static inline float f(float v) { return v; }\n__device__ float g(float v) { return f(v); }  //!\n"
        f"{K}{{ x[0] = g(x[1]); }}",
        "device function g uses f",
    ),
    Refused(
        "host template in a template kernel",
        "template <class T> T twice(T v) { return v * 2; }\n"
        "template <class T> __global__ void k(T* x) { x[0] = twice(x[1]); }  //!\n"
        "void run(float* x) { k<float><<<1, 32>>>(x); }",
        "kernel k uses twice",
    ),
    Refused(
        "functor without __device__",
        "struct Op { float operator()(float v) const { return v; } };\n"
        "template <class F> __global__ void k(float* x, F f) { x[0] = f(x[1]); }  //!\n"
        "void run(float* x) { k<Op><<<1, 32>>>(x, Op()); }",
        "Op::operator()",
    ),
    Refused(
        "tensor in a kernel",
        "#include <torch/extension.h>\n"
        "__global__ void k(torch::Tensor x) { x.data_ptr<float>()[0] = 1.0f; }  //!\n",
        "at::Tensor::data_ptr",
    ),
    Refused(
        "host variable",
        f"float slope = 2;\n{K}{{ x[0] *= slope; }}  //!",
        "reads slope, a variable of the host",
    ),
    Refused(
        "host table",
        f"static const float table[3] = {{1, 2, 3}};\n{K}{{ x[0] = table[n]; }}  //!",
        "reads table",
    ),
    Refused("C library", f"#include <cstdlib>\n{K}{{ x[0] = rand(); }}  //!", "uses rand"),
    Refused("stream", f"#include <iostream>\n{K}{{ std::cout << x[0]; }}  //!", "uses std::cout"),
    Refused(
        "function object",
        f"#include <functional>\n{K}{{ std::function<float(float)> f; x[0] = f(x[1]); }}  //!",
        "uses std::function",
    ),
    Refused("exception", f"{K}{{ if (n < 0) throw n; x[0] = 1; }}  //!", "exception handling"),
    Refused(
        "initialised shared", f"{K}{{ __shared__ float s[2] = {{0, 0}}; x[0] = s[n]; }}  //!", "initializer"
    ),
    Refused("array of any size", f"{K}{{ float a[n]; a[0] = x[0]; x[1] = a[0]; }}  //!", "constant value"),
    Refused("kernel with a result", "__global__ int k(float* x) { return 1; }  //!", "void return type"),
    Refused(
        "too much shared", f"{K}{{ __shared__ float s[20000]; s[n] = x[0]; x[1] = s[n + 1]; }}  //!", "80,000"
    ),
)

HONEST = {
    "host function of the same name": "inline int up(int a) { return a; }\n"
    "__device__ int up(int a, int b) { return a + b; }\n"
    f"{K}{{ x[0] = up(1, n); }}\nvoid run(float* x) {{ k<<<up(1), 32>>>(x, 1); }}",
    "declared for the host, defined for the device": "float f(float v);\n__device__ float f(float v) { return v; }\n"
    f"{K}{{ x[0] = f(x[1]); }}",
    "host function where nothing is evaluated": f"float f(float);\n{K}{{ decltype(f(1.0f)) y = x[1]; x[0] = y; }}",
    "host function in a branch that is not taken": "float f(float);\n"
    "template <bool B> __global__ void k(float* x) { if constexpr (B) x[0] = f(1.0f); else x[0] = 1; }\n"
    "void run(float* x) { k<false><<<1, 1>>>(x); }",
    "host function in a template that nobody instantiates": "float f(float);\n"
    f"template <class T> __global__ void other(T* x) {{ x[0] = f(1.0f); }}\n{K}{{ x[0] = n; }}",
    "constexpr function and constants": "constexpr int sq(int v) { return v * v; }\nconstexpr int N = sq(3);\n"
    f"const float eps = 1e-5f;\n{K}{{ float a[N]; a[n] = eps; x[0] = a[1] + sq(n); }}",
    "host variables for the host": f"int shared = 3, global = 4;\nstatic int count = 0;\n{K}"
    "{ __shared__ float s[32]; s[threadIdx.x] = x[n]; __syncthreads(); x[0] = s[0]; }\n"
    "int next() { return shared + global + ++count; }",
    "host class with what only the host has": "#include <map>\n#include <string>\n#include <vector>\n"
    "struct Config { std::vector<int> sizes; std::map<std::string, int> names; };\nstatic Config config;\n"
    f"{K}{{ x[0] = n; }}",
    "by the preprocessor": "#ifdef __CUDACC__\n#define DEV __device__ __forceinline__\n"
    "#else\n#define DEV inline\n#endif\n"
    f"DEV float f(float v) {{ return v; }}\n{K}{{ x[0] = f(x[1]); }}",
    "std of device code": "#include <algorithm>\n#include <cmath>\n#include <limits>\n"
    f"{K}{{ x[0] = std::max(x[1], std::numeric_limits<float>::lowest()) + std::exp(std::min(x[2], 3.0f)); }}",
    "lambda in a kernel": f"{K}{{ auto square = [=](float v) {{ return v * v + n; }}; x[0] = square(x[1]); }}",
    "macros of PyTorch": "#include <torch/extension.h>\n"
    f'{K}{{ x[0] = n; }}\ntorch::Tensor run(torch::Tensor x) {{ TORCH_CHECK(x.is_cuda(), "no"); return x; }}\n'
    'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }',
}

# Of a later architecture or toolkit than these: that is no mistake.
OTHERS_TAKE = {
    "sm_80": f'{K}{{ asm volatile("griddepcontrol.wait;"); x[0] = n; }}',
    "sm_90": f'{K}{{ asm volatile("tcgen05.fence::before_thread_sync;"); x[0] = n; }}',
}

# nvcc takes some of these; whether it does is not to be known here.
NOT_LOOKED_AT = {
    "constexpr since C++20": f"#include <vector>\n{K}{{ std::vector<float> v(3); x[0] = v[n]; }}",
    "a header of others": f'#include "mine.h"\n{K}{{ x[0] = mine(n); }}',
    "a statement expression": f"{K}{{ x[0] = ({{ float y = x[1]; y * 2; }}); }}",
    "a pointer whose type the launch does not name": "float host(float v) { return v; }\n"
    "template <class T> __global__ void k(T* x) { if constexpr (sizeof(T) == 4) { x[0] = host(x[1]); } }\n"
    "void run(double* x) { k<<<1, 32>>>(x); }",
    "no kernel": "int f() { return 1; }",
    "a template without arguments": "template <int V> __global__ void k(float* x) { x[0] = V; }",
}
