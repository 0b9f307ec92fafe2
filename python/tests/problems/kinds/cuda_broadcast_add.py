"""A row added to each row of a matrix."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, row):
        return x + row


def get_inputs():
    return [torch.randn(30, 44), torch.randn(44)]
"""

CUDA = """
__global__ void add_row_kernel(const float* x, const float* row, float* y, long n, int width) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + row[i % width];
}

torch::Tensor add_row(torch::Tensor x, torch::Tensor row) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.size(-1) == row.numel(), "float32 only");
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n)
        add_row_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            x.data_ptr<float>(), row.data_ptr<float>(), y.data_ptr<float>(), n, row.numel());
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, row):
        return ext.add_row(x.contiguous(), row.contiguous())
"""

MISTAKE = ("row[i % width]", "row[i / width % width]")
SAYS = "elements differ"
DROP_IN = "strides"
