#include <cfloat>
#include <torch/extension.h>

constexpr int THREADS = 256;

// A block a row. `part` holds the threads' maxima first, then their sums.
__global__ void softmax_kernel(const float* x, float* y, int columns) {
  __shared__ float part[THREADS];
  const float* from = x + int64_t(blockIdx.x) * columns;
  float* to = y + int64_t(blockIdx.x) * columns;
  const int me = threadIdx.x;

  float largest = -FLT_MAX;
  for (int k = me; k < columns; k += THREADS) largest = fmaxf(largest, from[k]);
  part[me] = largest;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (me < half) part[me] = fmaxf(part[me], part[me + half]);
    __syncthreads();
  }
  largest = part[0];

  float sum = 0;
  for (int k = me; k < columns; k += THREADS) sum += expf(from[k] - largest);
  part[me] = sum;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (me < half) part[me] += part[me + half];
    __syncthreads();
  }
  sum = part[0];

  for (int k = me; k < columns; k += THREADS) to[k] = expf(from[k] - largest) / sum;
}

torch::Tensor softmax(torch::Tensor x) {
  auto y = torch::empty_like(x);
  softmax_kernel<<<x.size(0), THREADS>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
