"""The largest values of each row and their indices."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        values, indices = torch.topk(x, 5, dim=-1)
        return values, indices


def get_inputs():
    return [torch.randn(24, 60)]
"""

CUDA = """
__global__ void top_k_kernel(const float* x, float* values, long* indices, int rows, int n, int k) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* all = x + row * (long)n;
    float* best = values + row * (long)k;
    long* where = indices + row * (long)k;
    int found = 0;
    for (int i = 0; i < n; i++) {
        int at = found;
        while (at > 0 && all[i] > best[at - 1]) at--;
        if (at >= k) continue;
        if (found < k) found++;
        for (int j = found - 1; j > at; j--) {
            best[j] = best[j - 1];
            where[j] = where[j - 1];
        }
        best[at] = all[i];
        where[at] = i;
    }
}

std::vector<torch::Tensor> top_k(torch::Tensor x, int64_t k) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto sizes = x.sizes().vec();
    int n = sizes.back();
    sizes.back() = k;
    auto values = torch::empty(sizes, x.options());
    auto indices = torch::empty(sizes, x.options().dtype(torch::kInt64));
    int rows = values.numel() / k;
    if (rows)
        top_k_kernel<<<(rows + 31) / 32, 32, 0, STREAM>>>(
            x.data_ptr<float>(), values.data_ptr<float>(), indices.data_ptr<long>(), rows, n, k);
    return {values, indices};
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        values, indices = ext.top_k(x.contiguous(), 5)
        return values, indices
"""

MISTAKE = ("x.contiguous(), 5", "x.contiguous()[..., :59].contiguous(), 5")
SAYS = "elements differ"
DROP_IN = "does not support"
