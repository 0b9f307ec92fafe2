"""Sorted values and the indices of them."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.sort(x, dim=-1, descending=True)


def get_inputs():
    return [torch.randn(24, 50)]
"""

CUDA = """
__global__ void sort_kernel(const float* x, float* values, long* order, int n) {
    const float* row = x + blockIdx.x * (long)n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int before = 0;
        for (int j = 0; j < n; j++) before += row[j] > row[i] || (row[j] == row[i] && j < i);
        values[blockIdx.x * (long)n + before] = row[i];
        order[blockIdx.x * (long)n + before] = i;
    }
}

std::vector<torch::Tensor> sort(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto values = torch::empty_like(x);
    auto order = torch::empty(x.sizes(), x.options().dtype(torch::kInt64));
    int n = x.size(-1);
    if (x.numel())
        sort_kernel<<<x.numel() / n, 32, 0, STREAM>>>(
            x.data_ptr<float>(), values.data_ptr<float>(), order.data_ptr<long>(), n);
    return {values, order};
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return torch.return_types.sort(ext.sort(x.contiguous()))
"""

MISTAKE = ("row[j] > row[i]", "row[j] < row[i]")
SAYS = "result 1 of 2"
DROP_IN = "infinite and NaN"
