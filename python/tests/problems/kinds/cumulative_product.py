"""A cumulative product by a scan, whose partial products overflow where the reference's do not."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.cumprod(x, 1)


def get_inputs():
    return [torch.randn(16, 200)]
"""

CUDA = """
__global__ void scan_kernel(const float* x, float* y, int n) {
    extern __shared__ float values[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = x[blockIdx.x * (long)n + i];
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        float mine[8];
        for (int i = threadIdx.x, k = 0; i < n; i += blockDim.x, k++)
            mine[k] = i >= step ? values[i] * values[i - step] : values[i];
        __syncthreads();
        for (int i = threadIdx.x, k = 0; i < n; i += blockDim.x, k++) values[i] = mine[k];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * (long)n + i] = values[i];
}

torch::Tensor scan(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.dim() == 2, "matrices of float32 only");
    TORCH_CHECK(x.size(1) <= 512, "rows of at most 512");
    auto y = torch::empty_like(x);
    int n = x.size(1);
    if (x.numel())
        scan_kernel<<<x.size(0), 64, n * sizeof(float), STREAM>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.scan(x.contiguous())
"""

MISTAKE = ("values[i] * values[i - step]", "values[i] * values[i - step] * 1.01f")
SAYS = "elements differ"
DROP_IN = "does not support"
