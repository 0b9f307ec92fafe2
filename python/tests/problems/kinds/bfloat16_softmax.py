"""Softmax in bfloat16; the wrong one is 1 % too large, which is less than three roundings."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)


def get_inputs():
    return [torch.randn(24, 200).bfloat16()]
"""

CUDA = """
#include <cuda_bf16.h>

__global__ void softmax_kernel(const __nv_bfloat16* x, __nv_bfloat16* y, int n) {
    const __nv_bfloat16* row = x + blockIdx.x * (long)n;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) {  // in one pass
        float value = __bfloat162float(row[i]), next = fmaxf(most, value);
        if (next == -INFINITY) continue;
        sum = sum * expf(most - next) + expf(value - next);
        most = next;
    }
    for (int apart = 16; apart; apart /= 2) {
        float other = __shfl_xor_sync(0xffffffff, most, apart), more = __shfl_xor_sync(0xffffffff, sum, apart);
        float next = fmaxf(most, other);
        if (next != -INFINITY) sum = sum * expf(most - next) + more * expf(other - next);
        most = next;
    }
    for (int i = threadIdx.x; i < n; i += 32)
        y[blockIdx.x * (long)n + i] = __float2bfloat16(expf(__bfloat162float(row[i]) - most) / sum);
}

torch::Tensor softmax(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kBFloat16, "bfloat16 only");
    auto y = torch::empty_like(x);
    int n = x.size(-1);
    if (x.numel())
        softmax_kernel<<<x.numel() / n, 32, 0, STREAM>>>(
            reinterpret_cast<const __nv_bfloat16*>(x.data_ptr<at::BFloat16>()),
            reinterpret_cast<__nv_bfloat16*>(y.data_ptr<at::BFloat16>()), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.softmax(x.contiguous())
"""

MISTAKE = ("__float2bfloat16(expf(", "__float2bfloat16(1.01f * expf(")
SAYS = "times the reference's"
DROP_IN = "NaN is not passed on"
