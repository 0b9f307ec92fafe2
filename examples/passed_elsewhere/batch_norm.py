import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

constexpr int THREADS = 256;

__device__ float sum_of_block(float value) {
  __shared__ float part[THREADS];
  __syncthreads();
  part[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  return part[0];
}

// A block a channel: its mean and variance, then its elements.
__global__ void normalize(const float* x, const float* weight, const float* bias, float* mean, float* variance,
                          float* y, int batch, int channels, int plane, float eps) {
  const int channel = blockIdx.x, n = batch * plane;
  auto at = [&](int k) { return (int64_t(k / plane) * channels + channel) * plane + k % plane; };
  float sum = 0, squares = 0;
  for (int k = threadIdx.x; k < n; k += THREADS) sum += x[at(k)];
  const float m = sum_of_block(sum) / n;
  for (int k = threadIdx.x; k < n; k += THREADS) squares += (x[at(k)] - m) * (x[at(k)] - m);
  const float v = sum_of_block(squares) / n;
  for (int k = threadIdx.x; k < n; k += THREADS)
    y[at(k)] = (x[at(k)] - m) * rsqrtf(v + eps) * weight[channel] + bias[channel];
  if (threadIdx.x == 0) {
    mean[channel] = m;
    variance[channel] = v;
  }
}

std::vector<torch::Tensor> batch_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  x = x.contiguous();
  auto y = torch::empty_like(x), mean = torch::empty_like(weight), variance = torch::empty_like(weight);
  normalize<<<x.size(1), THREADS>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), mean.data_ptr<float>(),
      variance.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1), x.size(2) * x.size(3), eps);
  return {y, mean, variance};
}
"""

extension = load_inline(
    name="batch_norm",
    cpp_sources="std::vector<torch::Tensor> batch_norm(torch::Tensor, torch::Tensor, torch::Tensor, double);",
    cuda_sources=cuda_source,
    functions=["batch_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.bn = nn.BatchNorm2d(features)

    def forward(self, x):
        bn = self.bn
        if not self.training:
            return bn(x)
        y, mean, variance = extension.batch_norm(x, bn.weight, bn.bias, bn.eps)
        with torch.no_grad():
            bn.running_mean.lerp_(mean, bn.momentum)
            bn.running_var.lerp_(variance, bn.momentum)
            bn.num_batches_tracked += 1
        return y
