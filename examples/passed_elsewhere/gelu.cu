#include <torch/extension.h>

// Above it expf overflows.
constexpr float LIMIT = 88.3762626647949f;

__global__ void gelu_kernel(const float* x, float* y, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = fminf(fmaxf(x[i], -LIMIT), LIMIT);
  y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

torch::Tensor gelu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  gelu_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
