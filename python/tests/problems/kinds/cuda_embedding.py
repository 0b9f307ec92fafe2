"""Rows of a table, by indices in its range."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(60, 24)

    def forward(self, ids):
        return self.table(ids)


def get_inputs():
    return [torch.randint(0, 60, (8, 12))]
"""

CUDA = """
__global__ void embedding_kernel(const long* ids, const float* table, float* y, long n, int width) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = table[ids[i / width] * width + i % width];
}

torch::Tensor embedding(torch::Tensor ids, torch::Tensor table) {
    TORCH_CHECK(table.scalar_type() == torch::kFloat32, "float32 only");
    auto sizes = ids.sizes().vec();
    sizes.push_back(table.size(1));
    auto y = torch::empty(sizes, table.options());
    long n = y.numel();
    if (n)
        embedding_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            ids.data_ptr<long>(), table.data_ptr<float>(), y.data_ptr<float>(), n, table.size(1));
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(60, 24)

    def forward(self, ids):
        return ext.embedding(ids.contiguous(), self.table.weight.contiguous())
"""

MISTAKE = ("ids[i / width] * width", "ids[i / width] / 2 * 2 * width")
SAYS = "elements differ"
DROP_IN = "does not support"
