#include <cfloat>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;

// The largest value so far, and the sum of the powers below it.
struct Running {
  float largest, sum;
};

template <int LANES>
__device__ Running joined(Running a) {
  for (int step = LANES / 2; step > 0; step /= 2) {
    Running b{__shfl_xor_sync(0xffffffff, a.largest, step), __shfl_xor_sync(0xffffffff, a.sum, step)};
    const float largest = fmaxf(a.largest, b.largest);
    a.sum = a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest);
    a.largest = largest;
  }
  return a;
}

// A block a row of at most 256 elements, a thread an element.
__global__ void online_softmax_kernel(const float* x, float* y, int columns) {
  __shared__ Running of_warp[WARPS];
  const int me = threadIdx.x;
  const int64_t at = int64_t(blockIdx.x) * columns + me;
  const float value = me < columns ? x[at] : -FLT_MAX;

  Running mine = joined<32>({value, me < columns ? 1.0f : 0.0f});
  if (me % 32 == 0) of_warp[me / 32] = mine;
  __syncthreads();
  if (me < 32) {
    Running all = joined<WARPS>(of_warp[me]);
    if (me == 0) of_warp[0] = all;
  }
  __syncthreads();
  if (me < columns) y[at] = expf(value - of_warp[0].largest) / of_warp[0].sum;
}

torch::Tensor online_softmax(torch::Tensor x) {
  TORCH_CHECK(x.size(1) <= THREADS, "rows of at most 256 elements");
  auto y = torch::empty_like(x);
  online_softmax_kernel<<<x.size(0), THREADS>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
