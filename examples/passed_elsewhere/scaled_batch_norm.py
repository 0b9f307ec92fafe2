import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

// A thread a feature: it scales its column, and normalizes it.
__global__ void scale_and_normalize(const float* x, const float* scale, const float* weight, const float* bias,
                                    float* running_mean, float* running_var, float* y, int rows, int features,
                                    float momentum, float eps) {
  const int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= features) return;
  float sum = 0, squares = 0;
  for (int r = 0; r < rows; ++r) sum += x[r * features + f] * scale[f];
  const float mean = sum / rows;
  for (int r = 0; r < rows; ++r) {
    const float off = x[r * features + f] * scale[f] - mean;
    squares += off * off;
  }
  const float variance = squares / rows;
  running_mean[f] += momentum * (mean - running_mean[f]);
  running_var[f] += momentum * (variance - running_var[f]);
  for (int r = 0; r < rows; ++r)
    y[r * features + f] = (x[r * features + f] * scale[f] - mean) * rsqrtf(variance + eps) * weight[f] + bias[f];
}

torch::Tensor scaled_batch_norm(torch::Tensor x, torch::Tensor scale, torch::Tensor weight, torch::Tensor bias,
                                torch::Tensor running_mean, torch::Tensor running_var, double momentum, double eps) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int features = x.size(1);
  scale_and_normalize<<<(features + 127) / 128, 128>>>(
      x.data_ptr<float>(), scale.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
      running_mean.data_ptr<float>(), running_var.data_ptr<float>(), y.data_ptr<float>(), x.size(0), features,
      momentum, eps);
  return y;
}
"""

tensors = ", ".join(["torch::Tensor"] * 6)
extension = load_inline(
    name="scaled_batch_norm",
    cpp_sources=f"torch::Tensor scaled_batch_norm({tensors}, double, double);",
    cuda_sources=cuda_source,
    functions=["scaled_batch_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, inputs, features):
        super().__init__()
        self.linear = nn.Linear(inputs, features)
        self.scale = nn.Parameter(torch.randn(features))
        self.bn = nn.BatchNorm1d(features)

    def forward(self, x):
        x, bn = self.linear(x), self.bn
        if not self.training:
            return bn(x * self.scale)
        bn.num_batches_tracked += 1
        return extension.scaled_batch_norm(
            x, self.scale, bn.weight, bn.bias, bn.running_mean, bn.running_var, bn.momentum, bn.eps
        )
