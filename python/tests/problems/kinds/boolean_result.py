"""A comparison: its result is boolean."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, y):
        return (x > y) & (y > 0)


def get_inputs():
    return [torch.randn(33, 40), torch.randn(33, 40)]
"""

CUDA = """
__global__ void above_kernel(const float* x, const float* y, bool* found, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) found[i] = x[i] > y[i] && y[i] > 0;
}

torch::Tensor above(torch::Tensor x, torch::Tensor y) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.sizes() == y.sizes(), "float32 of one shape only");
    auto found = torch::empty(x.sizes(), x.options().dtype(torch::kBool));
    long n = x.numel();
    if (n)
        above_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            x.data_ptr<float>(), y.data_ptr<float>(), found.data_ptr<bool>(), n);
    return found;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, y):
        return ext.above(x.contiguous(), y.contiguous())
"""

MISTAKE = ("y[i] > 0;", "y[i] >= -0.5f;")
SAYS = "elements differ"
DROP_IN = "strides"
