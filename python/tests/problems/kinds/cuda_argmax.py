"""argmax, which takes the first of equal values."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.argmax(x, dim=-1)


def get_inputs():
    return [torch.randn(40, 50)]
"""

CUDA = """
__global__ void argmax_kernel(const float* x, long* y, int rows, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* values = x + row * (long)n;
    int best = 0;
    for (int i = 1; i < n; i++)
        if (values[i] > values[best]) best = i;
    y[row] = best;
}

torch::Tensor argmax(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto sizes = x.sizes().vec();
    int n = sizes.back();
    sizes.pop_back();
    auto y = torch::empty(sizes, x.options().dtype(torch::kInt64));
    int rows = y.numel();
    if (rows) argmax_kernel<<<(rows + 31) / 32, 32, 0, STREAM>>>(x.data_ptr<float>(), y.data_ptr<long>(), rows, n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.argmax(x.contiguous())
"""

MISTAKE = ("i < n; i++", "i < n - 1; i++")
SAYS = "elements differ"
DROP_IN = "zero-dimensional"
