"""Positions in a sorted list."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, edges, x):
        return torch.searchsorted(edges, x)


def get_inputs():
    return [torch.randint(0, 99, (50,)).float().sort().values, torch.randint(0, 99, (24, 40)).float()]
"""

CUDA = """
__global__ void search_kernel(const float* edges, const float* x, long* found, int count, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (edges[middle] < x[i]) low = middle + 1;
        else high = middle;
    }
    found[i] = low;
}

torch::Tensor search(torch::Tensor edges, torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto found = torch::empty(x.sizes(), x.options().dtype(torch::kInt64));
    long n = x.numel();
    if (n)
        search_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            edges.data_ptr<float>(), x.data_ptr<float>(), found.data_ptr<long>(), edges.numel(), n);
    return found;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, edges, x):
        return ext.search(edges.contiguous(), x.contiguous())
"""

MISTAKE = ("edges[middle] < x[i]", "edges[middle] <= x[i]")
SAYS = "elements differ"
DROP_IN = True
