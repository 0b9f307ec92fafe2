"""LayerNorm, a block a row."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(72) + 0.5)
        self.bias = nn.Parameter(torch.randn(72))

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, 1e-5)


def get_inputs():
    return [torch.randn(24, 72)]
"""

CUDA = """
__device__ float block_sum(float value, float* shared) {
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    float sum = shared[0];
    __syncthreads();
    return sum;
}


__global__ void layer_norm_kernel(const float* x, const float* w, const float* b, float* y, int n) {
    __shared__ float shared[64];
    const float* row = x + blockIdx.x * (long)n;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += row[i];
    float mean = block_sum(sum, shared) / n;
    float squares = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) squares += (row[i] - mean) * (row[i] - mean);
    float scale = rsqrtf(block_sum(squares, shared) / n + 1e-5f);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * (long)n + i] = (row[i] - mean) * scale * w[i] + b[i];
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty_like(x);
    int n = x.size(-1);
    if (x.numel())
        layer_norm_kernel<<<x.numel() / n, 64, 0, STREAM>>>(
            x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(72) + 0.5)
        self.bias = nn.Parameter(torch.randn(72))

    def forward(self, x):
        return ext.layer_norm(x.contiguous(), self.weight, self.bias)
"""

MISTAKE = ("self.weight, self.bias)", "self.weight, self.bias * 0)")
SAYS = "elements differ"
DROP_IN = "does not support"
