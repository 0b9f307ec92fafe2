"""Cross-entropy over labels."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, y):
        return F.cross_entropy(x, y)


def get_inputs():
    return [torch.randn(48, 20), torch.randint(0, 20, (48,))]
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

__device__ float block_max(float value, float* shared) {
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    float most = shared[0];
    __syncthreads();
    return most;
}

__global__ void cross_entropy_kernel(const float* x, const long* y, float* loss, int n) {
    __shared__ float shared[32];
    const float* row = x + blockIdx.x * (long)n;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
    most = block_max(most, shared);
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(row[i] - most);
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) + most - row[y[blockIdx.x]];
}

torch::Tensor cross_entropy(torch::Tensor x, torch::Tensor y) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto loss = torch::empty({x.size(0)}, x.options());
    if (x.size(0))
        cross_entropy_kernel<<<x.size(0), 32, 0, STREAM>>>(
            x.data_ptr<float>(), y.data_ptr<long>(), loss.data_ptr<float>(), x.size(1));
    return loss;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, y):
        return ext.cross_entropy(x.contiguous(), y.contiguous()).mean()
"""

MISTAKE = ("y[blockIdx.x]", "y[blockIdx.x] / 2")
SAYS = "the result is"
DROP_IN = "labels that the loss leaves out"
