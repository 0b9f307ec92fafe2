#include <cfloat>
#include <torch/extension.h>

// A block a row, a thread a channel: the smallest of its values, then the softmax over the channels.
__global__ void min_softmax_kernel(const float* x, float* y, int channels, int depth) {
  extern __shared__ float part[];
  const int me = threadIdx.x;
  const int64_t channel = int64_t(blockIdx.x) * channels + me;

  float smallest = FLT_MAX;
  if (me < channels) {
    for (int d = 0; d < depth; ++d) smallest = fminf(smallest, x[channel * depth + d]);
  }
  part[me] = me < channels ? smallest : -FLT_MAX;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (me < half) part[me] = fmaxf(part[me], part[me + half]);
    __syncthreads();
  }
  const float largest = part[0];

  const float power = me < channels ? expf(smallest - largest) : 0;
  part[me] = power;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (me < half) part[me] += part[me + half];
    __syncthreads();
  }
  if (me < channels) y[channel] = power / part[0];
}

torch::Tensor min_softmax(torch::Tensor x) {
  const int channels = x.size(1);
  int threads = 64;
  while (threads < channels) threads *= 2;
  auto y = torch::empty({x.size(0), channels}, x.options());
  min_softmax_kernel<<<x.size(0), threads, threads * sizeof(float)>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                                      channels, x.size(2));
  return y;
}
