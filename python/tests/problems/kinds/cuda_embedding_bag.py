"""Means of rows of a table, by bags of indices of which the ends are given: one shape of input only."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(60, 24, mode="mean")

    def forward(self, ids, starts):
        return self.bag(ids, starts)


def get_inputs():
    return [torch.randint(0, 60, (50,)), torch.tensor([0, 7, 7, 20, 31])]
"""

CUDA = """
__global__ void bag_kernel(const long* ids, const long* starts, const float* table, float* y, long bags, long n,
                           int width) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= bags * width) return;
    long bag = i / width, end = bag + 1 < bags ? starts[bag + 1] : n;
    float sum = 0;
    for (long k = starts[bag]; k < end; ++k) sum += table[ids[k] * width + i % width];
    y[i] = end > starts[bag] ? sum / (end - starts[bag]) : 0;
}

torch::Tensor bag(torch::Tensor ids, torch::Tensor starts, torch::Tensor table) {
    TORCH_CHECK(table.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty({starts.numel(), table.size(1)}, table.options());
    long n = y.numel();
    if (n)
        bag_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(ids.data_ptr<long>(), starts.data_ptr<long>(),
            table.data_ptr<float>(), y.data_ptr<float>(), starts.numel(), ids.numel(), table.size(1));
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(60, 24, mode="mean")

    def forward(self, ids, starts):
        return ext.bag(ids.contiguous(), starts.contiguous(), self.bag.weight.contiguous())
"""

MISTAKE = ("starts[bag + 1] : n", "starts[bag + 1] : n - 1")
SAYS = "elements differ"
DROP_IN = "has no gradient"
