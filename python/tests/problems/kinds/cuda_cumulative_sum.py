"""A cumulative sum, in another order than PyTorch's."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=-1)


def get_inputs():
    return [torch.randn(24, 100)]
"""

CUDA = """
__global__ void scan_kernel(const float* x, float* y, int n) {
    __shared__ float shared[128];
    float before = 0;
    for (int start = 0; start < n; start += 128) {
        int at = threadIdx.x;
        shared[at] = start + at < n ? x[blockIdx.x * (long)n + start + at] : 0.0f;
        __syncthreads();
        for (int step = 1; step < 128; step *= 2) {
            float add = at >= step ? shared[at - step] : 0.0f;
            __syncthreads();
            shared[at] += add;
            __syncthreads();
        }
        if (start + at < n) y[blockIdx.x * (long)n + start + at] = before + shared[at];
        before += shared[127];
        __syncthreads();
    }
}

torch::Tensor cumulative_sum(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty_like(x);
    int n = x.size(-1);
    if (x.numel()) scan_kernel<<<x.numel() / n, 128, 0, STREAM>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.cumulative_sum(x.contiguous())
"""

MISTAKE = ("at >= step", "at > step")
SAYS = "elements differ"
DROP_IN = "does not support"
