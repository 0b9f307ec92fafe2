"""GroupNorm behind whole numbers: no sum is exact, whatever the inputs."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(12) + 0.5)
        self.bias = nn.Parameter(torch.randn(12))

    def forward(self, x):
        return F.group_norm(x, 4, self.weight, self.bias)


def get_inputs():
    return [torch.randn(6, 12, 7, 5)]
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


__global__ void group_norm_kernel(const float* x, const float* w, const float* b, float* y, int n,
                                  int plane, int each) {
    __shared__ float shared[64];
    const float* group = x + blockIdx.x * (long)n;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += group[i];
        squares += group[i] * group[i];
    }
    float mean = block_sum(sum, shared) / n;
    squares = block_sum(squares, shared);
    float scale = rsqrtf(squares / n - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int c = blockIdx.x % 4 * each + i / plane;
        y[blockIdx.x * (long)n + i] = (group[i] - mean) * scale * w[c] + b[c];
    }
}

torch::Tensor group_norm(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty_like(x);
    int each = x.size(1) / 4, plane = x.size(2) * x.size(3);
    if (x.numel())
        group_norm_kernel<<<x.size(0) * 4, 64, 0, STREAM>>>(
            x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), each * plane, plane,
            each);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(12) + 0.5)
        self.bias = nn.Parameter(torch.randn(12))

    def forward(self, x):
        return ext.group_norm(x.contiguous(), self.weight, self.bias)
"""

MISTAKE = ("squares / n - mean * mean + 1e-5f", "squares / (n - 1) - mean * mean + 1e-5f")
SAYS = "elements differ"
DROP_IN = ""
