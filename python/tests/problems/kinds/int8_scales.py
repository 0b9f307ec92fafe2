"""A product of int8 matrices with two scales, which a program multiplies with each other first."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, a, b, rows, columns):
        return (a.float() @ b.float()) * rows * columns


def get_inputs():
    a, b = (torch.randint(-128, 128, shape, dtype=torch.int8) for shape in ((16, 64), (64, 24)))
    return [a, b, torch.rand(16, 1) * 0.01, torch.rand(24) * 0.01]
"""

CUDA = """
__global__ void product_kernel(const char* a, const char* b, const float* rows, const float* columns, float* y,
                               int m, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    int row = i / n, column = i % n, sum = 0;
    for (int j = 0; j < k; j++) sum += int(a[row * k + j]) * int(b[j * n + column]);
    y[i] = sum * (rows[row] * columns[column]);
}

torch::Tensor product(torch::Tensor a, torch::Tensor b, torch::Tensor rows, torch::Tensor columns) {
    TORCH_CHECK(rows.scalar_type() == torch::kFloat32, "float32 scales only");
    int m = a.size(0), k = a.size(1), n = b.size(1);
    auto y = torch::empty({m, n}, rows.options());
    if (y.numel())
        product_kernel<<<(m * n + 63) / 64, 64, 0, STREAM>>>(
            reinterpret_cast<const char*>(a.data_ptr<int8_t>()), reinterpret_cast<const char*>(b.data_ptr<int8_t>()),
            rows.data_ptr<float>(), columns.data_ptr<float>(), y.data_ptr<float>(), m, n, k);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, a, b, rows, columns):
        return ext.product(*(t.contiguous() for t in (a, b, rows, columns)))
"""

MISTAKE = ("(rows[row] * columns[column])", "rows[row]")
SAYS = "without its mul (2 of 2)"
DROP_IN = "zero-dimensional"
