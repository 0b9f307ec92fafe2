"""Batch norm in training mode, statistics included."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(6)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(8, 6, 9, 7)]
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


__global__ void batch_norm_kernel(const float* x, const float* w, const float* b, float* running_mean,
                                  float* running_var, float* y, int batch, int channels, int plane) {
    __shared__ float shared[64];
    int c = blockIdx.x, n = batch * plane;
    auto at = [&](int i) { return ((i / plane) * (long)channels + c) * plane + i % plane; };
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[at(i)];
    float mean = block_sum(sum, shared) / n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) squares += (x[at(i)] - mean) * (x[at(i)] - mean);
    float var = block_sum(squares, shared) / n;
    float scale = rsqrtf(var + 1e-5f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[at(i)] = (x[at(i)] - mean) * scale * w[c] + b[c];
    if (threadIdx.x == 0) {
        running_mean[c] += 0.1f * (mean - running_mean[c]);
        running_var[c] += 0.1f * (var * n / (n - 1) - running_var[c]);
    }
}

torch::Tensor batch_norm(torch::Tensor x, torch::Tensor w, torch::Tensor b, torch::Tensor mean, torch::Tensor var) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty_like(x);
    if (x.numel())
        batch_norm_kernel<<<x.size(1), 64, 0, STREAM>>>(
            x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), mean.data_ptr<float>(),
            var.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1), x.size(2) * x.size(3));
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(6)

    def forward(self, x):
        n = self.norm
        if not self.training:
            return n(x)
        with torch.no_grad():
            n.num_batches_tracked += 1
        return ext.batch_norm(x.contiguous(), n.weight, n.bias, n.running_mean, n.running_var)
"""

MISTAKE = ("rsqrtf(var + 1e-5f)", "rsqrtf(var * n / (n - 1) + 1e-5f)")
SAYS = "Wrong result"
DROP_IN = "does not support"
