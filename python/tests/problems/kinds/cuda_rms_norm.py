"""RMSNorm in one pass, with a gradient, a drop-in for every dtype."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(72) + 0.5)

    def forward(self, x):
        return F.rms_norm(x, x.shape[-1:], self.weight, 1e-6)


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


template <typename T>
__global__ void rms_norm_kernel(const T* x, const T* w, T* y, int n) {
    __shared__ float shared[64];
    const T* row = x + blockIdx.x * (long)n;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += (float)row[i] * (float)row[i];
    float scale = rsqrtf(block_sum(sum, shared) / n + 1e-6f);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * (long)n + i] = (T)((float)row[i] * scale * (float)w[i]);
}

__global__ void rms_norm_double(const double* x, const double* w, double* y, int n) {
    const double* row = x + blockIdx.x * (long)n;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += row[i] * row[i];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * (long)n + i] = row[i] / sqrt(sum / n + 1e-6) * w[i];
}

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor w) {
    auto y = torch::empty_like(x);
    int n = x.size(-1);
    if (!x.numel()) return y;
    int rows = x.numel() / n;
    if (x.scalar_type() == torch::kFloat64) {
        rms_norm_double<<<rows, 64, 0, STREAM>>>(x.data_ptr<double>(), w.data_ptr<double>(), y.data_ptr<double>(), n);
        return y;
    }
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "rms_norm", [&] {
        rms_norm_kernel<scalar_t><<<rows, 64, 0, STREAM>>>(
            x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);
    });
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(72) + 0.5)

    def forward(self, x):
        if torch.is_autocast_enabled() or x.requires_grad or self.weight.requires_grad and torch.is_grad_enabled():
            return F.rms_norm(x, x.shape[-1:], self.weight, 1e-6)
        return ext.rms_norm(x.contiguous(), self.weight)
"""

MISTAKE = ("ext.rms_norm(x.contiguous(), self.weight)", "ext.rms_norm(x.contiguous(), self.weight) * 1.01")
SAYS = "every element is 1.01 times the reference's"
DROP_IN = True
