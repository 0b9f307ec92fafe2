"""Right programs give torch's own bits, in every order of blocks and threads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from support import HEAD, Outcome, in_worker, load_inline, load_one_to_one, same_bits

from kernelgate.emulator import Emulation

pytestmark = pytest.mark.drawn

ORDERS = ("normal", "reversed", "shuffled")


@pytest.fixture(params=["checked", "examined"])
def run(cache: Path, request: pytest.FixtureRequest) -> Callable[[Callable[[Emulation], Any]], Outcome]:
    """Runs a body in a worker; a memory check finds nothing in a right program (`Outcome.result` sees to it)."""
    return functools.partial(in_worker, cache, examine=request.param == "examined")


DISPATCHED = """
#include <torch/extension.h>
#include <ATen/OpMathType.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAException.h>

struct Layout { int64_t numel; int vectors_per_thread; };
template <typename T, int N> struct alignas(sizeof(T) * N) Vec { T value[N]; };

template <typename scalar_t, int N>
__global__ void __launch_bounds__(128) leaky_relu(const scalar_t* __restrict__ x, scalar_t* __restrict__ y,
                                                  at::opmath_type<scalar_t> slope, Layout layout) {
  using V = Vec<scalar_t, N>;
  using opmath_t = at::opmath_type<scalar_t>;
  const int64_t vectors = layout.numel / N;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = first; i < vectors; i += step) {
    V v = reinterpret_cast<const V*>(x)[i];
#pragma unroll
    for (int k = 0; k < N; k++) {
      const opmath_t a = static_cast<opmath_t>(v.value[k]);
      v.value[k] = static_cast<scalar_t>(a > opmath_t(0) ? a : a * slope);
    }
    reinterpret_cast<V*>(y)[i] = v;
  }
  for (int64_t i = vectors * N + first; i < layout.numel; i += step) {
    const opmath_t a = static_cast<opmath_t>(x[i]);
    y[i] = static_cast<scalar_t>(a > opmath_t(0) ? a : a * slope);
  }
}

at::Tensor forward(const at::Tensor& x, double slope) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  at::Tensor dense = x.is_non_overlapping_and_dense() ? x : x.contiguous();
  at::Tensor y = at::empty_like(dense);
  TORCH_CHECK(y.strides() == dense.strides() && y.sizes() == dense.sizes() && y.dim() == x.dim());
  if (dense.numel() == 0) return y;
  const int blocks = at::cuda::getCurrentDeviceProperties()->multiProcessorCount * 2;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, dense.scalar_type(), "leaky_relu_cuda", [&] {
    constexpr int N = 16 / sizeof(scalar_t);
    leaky_relu<scalar_t, N><<<blocks, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        dense.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(),
        static_cast<at::opmath_type<scalar_t>>(slope), Layout{dense.numel(), 1});
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return y;
}
"""

ROW_SUM = (
    HEAD
    + """
__global__ void row_sum(const float* x, float* y, int columns) {
  extern __shared__ float partial[];
  __shared__ float total;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += x[blockIdx.x * columns + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) total = partial[0];
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) y[blockIdx.x] = total;
}
torch::Tensor row_sums(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  row_sum<<<x.size(0), 128, 128 * sizeof(float)>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
)

SOFTMAX = (
    HEAD
    + """
__device__ __forceinline__ float warp_max(float v) {
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  return __shfl_sync(0xffffffffu, v, 0);
}
__global__ void softmax(const float* x, float* y, int columns) {
  const float* row = x + static_cast<size_t>(blockIdx.x * blockDim.y + threadIdx.y) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x * blockDim.y + threadIdx.y) * columns;
  float top = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += warpSize) top = max(top, row[c]);
  top = warp_max(top);
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += warpSize) sum += __expf(row[c] - top);
  sum = warp_sum(sum);
  for (int c = threadIdx.x; c < columns; c += warpSize) out[c] = __expf(row[c] - top) / sum;
}
torch::Tensor softmax_cuda(torch::Tensor x) {
  auto y = torch::empty_like(x);
  softmax<<<x.size(0) / 4, dim3(32, 4)>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
)


def special_values(dtype: torch.dtype) -> torch.Tensor:
    x = torch.randn(1003).to(dtype)
    x[:8] = torch.tensor([0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-7, -1e-7, -1.0]).to(dtype)
    return x


def in_every_order(emulation: Emulation, call: Callable[[], torch.Tensor]) -> list[torch.Tensor]:
    outputs = []
    for side in ("end", "start"):
        for order in ORDERS:
            emulation.order(order, seed=7)
            with emulation.guarded(side):
                outputs.append(call())
    assert emulation.overwritten() == []
    assert emulation.unchecked_launch_error() is None
    return outputs


def test_a_scalar_leaky_relu_has_torchs_bits(run):
    def body(emulation: Emulation) -> bool:
        x = special_values(torch.float32)
        with emulation.active():
            program = load_one_to_one(
                "__global__ void k(const float* x, float* y, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i < n) y[i] = x[i] > 0.f ? x[i] : x[i] * 0.01f; }"
            )
            outputs = in_every_order(emulation, lambda: program.f(x.cuda()))
        return all(same_bits(y, torch.nn.functional.leaky_relu(x)) for y in outputs)

    assert run(body).result()


def test_a_vectorized_dispatched_leaky_relu_has_torchs_bits_for_each_type_and_layout(run):
    def body(emulation: Emulation) -> list[str]:
        wrong = []
        with emulation.active():
            program = load_inline(
                "leaky_relu_cuda",
                "at::Tensor forward(const at::Tensor& x, double slope);",
                DISPATCHED,
                functions=["forward"],
            )
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            flat = special_values(dtype)
            for x in (
                flat,
                flat[:1],
                flat[:0],
                flat[:1000].view(40, 25).t(),
                flat[:1000].view(2, 5, 10, 10)[:, ::2],
            ):
                expected = torch.nn.functional.leaky_relu(x, 0.01)
                with emulation.active():
                    outputs = in_every_order(emulation, lambda x=x: program.forward(x, 0.01))
                if not all(same_bits(y, expected) and y.shape == x.shape for y in outputs):
                    wrong.append(f"{dtype} {tuple(x.shape)}")
        return wrong

    assert run(body).result() == []


def test_an_unsupported_type_is_refused_in_torchs_words(run):
    def body(emulation: Emulation) -> None:
        with emulation.active():
            program = load_inline(
                "leaky_relu_cuda",
                "at::Tensor forward(const at::Tensor& x, double slope);",
                DISPATCHED,
                functions=["forward"],
            )
            program.forward(torch.ones(3, dtype=torch.int32, device="cuda"), 0.01)

    error = run(body).error
    assert error == "NotImplementedError: \"leaky_relu_cuda\" not implemented for 'Int'"


def test_a_shared_memory_reduction_sums_exactly_in_every_order(run):
    def body(emulation: Emulation) -> bool:
        x = torch.randint(-50, 50, (37, 201)).float()
        with emulation.active():
            program = load_inline(
                "sums", "torch::Tensor row_sums(torch::Tensor x);", ROW_SUM, functions=["row_sums"]
            )
            outputs = in_every_order(emulation, lambda: program.row_sums(x))
        return all(same_bits(y, x.sum(1)) for y in outputs)

    assert run(body).result()


def test_a_warp_shuffle_softmax_is_right_and_independent_of_the_order(run):
    def body(emulation: Emulation) -> tuple[float, bool]:
        x = torch.randn(64, 77)
        with emulation.active():
            program = load_inline(
                "softmax", "torch::Tensor softmax_cuda(torch::Tensor x);", SOFTMAX, functions=["softmax_cuda"]
            )
            outputs = in_every_order(emulation, lambda: program.softmax_cuda(x))
        error = (outputs[0].double() - torch.softmax(x.double(), 1)).abs().max().item()
        return error, all(same_bits(y, outputs[0]) for y in outputs)

    error, same = run(body).result()
    assert error < 1e-6 and same


def test_warp_votes_atomics_and_constants_work(run):
    kernel = """__constant__ float table[2];
__device__ int hits;
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned positive = __ballot_sync(0xffffffffu, i < n && x[i] > 0);
  if (threadIdx.x % 32 == 0) atomicAdd(&hits, __popc(positive));
  if (i < n) y[i] = table[x[i] > 0] + __reduce_add_sync(__activemask(), 1);
}
void set_table() {
  const float values[2] = {-1.f, 1.f};
  const int none = 0;
  cudaMemcpyToSymbol(hits, &none, sizeof none);
  cudaMemcpyToSymbol(table, values, sizeof values);
}
int counted() {
  int count = 0;
  cudaMemcpyFromSymbol(&count, hits, sizeof count);
  return count;
}"""
    launch = "set_table(); k<<<2, 96>>>(x.data_ptr<float>(), y.data_ptr<float>(), n); y[0].fill_(counted());"

    def body(emulation: Emulation) -> bool:
        x = torch.randn(192)
        with emulation.active():
            y = load_one_to_one(kernel, launch=launch).f(x)
        expected = torch.where(x > 0, 33.0, 31.0)
        expected[0] = (x > 0).sum()
        return torch.equal(y, expected)

    assert run(body).result()


PROGRAMS = Path(__file__).parents[4] / "shared" / "programs"


@pytest.mark.parametrize("name", ["003-1", "004-0", "004-1"])
def test_a_real_program_runs_with_torchs_bits(run, name):
    path = PROGRAMS / f"{name}.py"
    if not path.is_file():
        pytest.skip(f"{path} is not here: the real programs lie beside the repository")

    def body(emulation: Emulation) -> bool:
        names: dict[str, object] = {"__name__": "candidate"}
        with emulation.active():
            exec(compile(path.read_text(), str(path), "exec"), names)
            model = names["ModelNew"](24, 40, 2.0, 0.1).cuda()
            x = torch.randn(33, 24).cuda()
            expected = torch.nn.functional.leaky_relu(model.gemm(x) * 2.0, 0.1)
            outputs = in_every_order(emulation, lambda: model(x))
            on_gpu = all(y.is_cuda and y.device == torch.device("cuda", 0) for y in outputs)
        return on_gpu and all(same_bits(y, expected) for y in outputs)

    assert run(body).result()


def test_a_real_program_without_a_declaration_fails_as_it_does_with_load_inline(run):
    path = PROGRAMS / "000-0.py"
    if not path.is_file():
        pytest.skip(f"{path} is not here: the real programs lie beside the repository")

    def body(emulation: Emulation) -> None:
        names: dict[str, object] = {"__name__": "candidate"}
        with emulation.active():
            exec(compile(path.read_text(), str(path), "exec"), names)
            names["ModelNew"]()

    error = run(body).error or ""
    assert error.startswith("CompileFailed: Error building extension 'leaky_relu_cuda'")
    assert "main.cpp" in error and "'leaky_relu_cuda' was not declared in this scope" in error
