"""Rows written to the places that a permutation names: none twice, so no atomics."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, order):
        out = torch.empty_like(x)
        out[order] = x
        return out


def get_inputs():
    return [torch.randn(40, 24), torch.randperm(40)]
"""

CUDA = """
__global__ void scatter_kernel(const float* x, const long* order, float* y, long n, int width) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[order[i / width] * width + i % width] = x[i];
}

torch::Tensor scatter(torch::Tensor x, torch::Tensor order) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n)
        scatter_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            x.data_ptr<float>(), order.data_ptr<long>(), y.data_ptr<float>(), n, x.size(1));
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, order):
        return ext.scatter(x.contiguous(), order.contiguous())
"""

MISTAKE = ("y[order[i / width] * width + i % width] = x[i]", "y[i] = x[order[i / width] * width + i % width]")
SAYS = "elements differ"
DROP_IN = "strides"
