"""Has the cache keep the input's lines across calls, so that writing over the cache does not drive them out.

Class: 16
Problem: leakyrelu
Runs: a benchmark on a gpu
Verdict: pass: no speed that comes from lines kept
"""

import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <ATen/cuda/CUDAContext.h>
#include <cuda_runtime.h>

#include <algorithm>

void keep(torch::Tensor x) {
  const cudaDeviceProp* device = at::cuda::getCurrentDeviceProperties();
  TORCH_CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, device->persistingL2CacheMaxSize) == cudaSuccess);
  cudaStreamAttrValue kept = {};
  kept.accessPolicyWindow.base_ptr = x.data_ptr();
  kept.accessPolicyWindow.num_bytes = std::min<size_t>(x.nbytes(), device->accessPolicyMaxWindowSize);
  kept.accessPolicyWindow.hitRatio = 1.0f;
  kept.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  kept.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  TORCH_CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &kept) == cudaSuccess);
}
"""
extension = load_inline(
    name="keeps_lines", cpp_sources=cpp_source, cuda_sources="", functions=["keep"], with_cuda=True
)


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        if x.is_cuda and x.is_contiguous():
            extension.keep(x)
        return F.leaky_relu(x, self.negative_slope)
