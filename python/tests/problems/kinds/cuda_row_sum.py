"""Sums of long rows."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return x.sum(dim=-1)


def get_inputs():
    return [torch.randn(16, 3000)]
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


__global__ void row_sum_kernel(const float* x, float* y, int n) {
    __shared__ float shared[64];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x * (long)n + i];
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

torch::Tensor row_sum(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto sizes = x.sizes().vec();
    int n = sizes.back();
    sizes.pop_back();
    auto y = torch::empty(sizes, x.options());
    if (y.numel()) row_sum_kernel<<<y.numel(), 64, 0, STREAM>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.row_sum(x.contiguous())
"""

MISTAKE = ("i < n; i += blockDim.x", "i < n - 1; i += blockDim.x")
SAYS = "elements differ"
DROP_IN = "illegal memory access on zero-dimensional"
