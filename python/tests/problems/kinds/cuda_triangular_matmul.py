"""A product of upper triangular matrices that leaves out what is 0, and leans on it."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, a, b):
        return torch.triu(torch.matmul(a, b))


def get_inputs():
    return [torch.triu(torch.rand(48, 48)), torch.triu(torch.rand(48, 48))]
"""

CUDA = """
__global__ void product_kernel(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int i = row; i <= col; i++) sum += a[row * (long)n + i] * b[i * (long)n + col];
    c[row * (long)n + col] = sum;
}

torch::Tensor product(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.scalar_type() == torch::kFloat32 && a.size(0) == a.size(1), "square float32 only");
    int n = a.size(0);
    auto c = torch::empty_like(a);
    dim3 blockDim(16, 16), gridDim((n + 15) / 16, (n + 15) / 16);
    if (n)
        product_kernel<<<gridDim, blockDim, 0, STREAM>>>(
            a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), n);
    return c;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.product(a.contiguous(), b.contiguous())
"""

MISTAKE = ("i = row; i <= col", "i = row; i < col")
SAYS = "elements differ"
DROP_IN = "unstructured"
