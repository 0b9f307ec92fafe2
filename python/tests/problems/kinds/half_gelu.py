"""GELU in half, computed in float32; the wrong one is 10 % off between -1.32 and -1.12."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return F.gelu(x)


def get_inputs():
    return [torch.randn(24, 100).half()]
"""

CUDA = """
#include <cuda_fp16.h>

__global__ void gelu_kernel(const __half* x, __half* y, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = __half2float(x[i]);
    y[i] = __float2half(0.5f * v * (1 + erff(v * 0.70710678f)));
}

torch::Tensor gelu(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat16, "float16 only");
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n)
        gelu_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
            reinterpret_cast<__half*>(y.data_ptr<at::Half>()), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.gelu(x.contiguous())
"""

MISTAKE = ("0.5f * v", "(fabsf(v + 1.22f) < 0.1f ? 0.55f : 0.5f) * v")
SAYS = "elements differ"
DROP_IN = "strides"
