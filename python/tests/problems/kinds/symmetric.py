"""A product of symmetric matrices, which the program reads by columns."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    a, b = torch.rand(40, 40), torch.rand(40, 40)
    return [(a + a.T) / 2, (b + b.T) / 2]
"""

CUDA = """
__global__ void product_kernel(const float* a, const float* b, float* y, int n) {
    __shared__ float left[8][8], right[8][8];
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < n; at += 8) {
        int down = at + threadIdx.y, along = blockIdx.y * 8 + threadIdx.x;
        left[threadIdx.y][threadIdx.x] = down < n && along < n ? a[down * n + along] : 0;  // as it is symmetric
        right[threadIdx.y][threadIdx.x] = down < n && column < n ? b[down * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < 8; k++) sum += left[k][threadIdx.y] * right[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) y[row * n + column] = sum;
}

torch::Tensor product(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.scalar_type() == torch::kFloat32 && a.dim() == 2, "matrices of float32 only");
    int n = a.size(0), blocks = (n + 7) / 8;
    TORCH_CHECK(a.size(1) == n && b.size(0) == n && b.size(1) == n, "square matrices only");
    auto y = torch::empty_like(a);
    if (n)
        product_kernel<<<dim3(blocks, blocks), dim3(8, 8), 0, STREAM>>>(
            a.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.product(a.contiguous(), b.contiguous())
"""

MISTAKE = ("at < n; at += 8", "at < n - 8; at += 8")
SAYS = "elements differ"
DROP_IN = "unstructured"
