"""A product with the conjugate of complex numbers, which PyTorch conjugates where it reads them."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, a, b):
        return a @ b.mH


def get_inputs():
    return [torch.randn(24, 30, dtype=torch.complex64), torch.randn(20, 30, dtype=torch.complex64)]
"""

CUDA = """
__global__ void product(const float2* a, const float2* b, float2* c, int m, int n, int depth) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= n) return;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int k = 0; k < depth; ++k) {
        float2 x = a[row * depth + k], y = b[column * depth + k];
        sum.x += x.x * y.x + x.y * y.y;
        sum.y += x.y * y.x - x.x * y.y;
    }
    c[row * n + column] = sum;
}

torch::Tensor complex_product(torch::Tensor a, torch::Tensor b) {
    int m = a.size(0), n = b.size(0), depth = a.size(1);
    auto c = torch::empty({m, n, 2}, a.options());
    if (m && n)
        product<<<dim3((n + 31) / 32, m), 32, 0, STREAM>>>(
            reinterpret_cast<const float2*>(a.data_ptr<float>()), reinterpret_cast<const float2*>(b.data_ptr<float>()),
            reinterpret_cast<float2*>(c.data_ptr<float>()), m, n, depth);
    return c;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, a, b):
        parts = [torch.view_as_real(one.resolve_conj().contiguous()) for one in (a, b)]
        return torch.view_as_complex(ext.complex_product(*parts))
"""

MISTAKE = ("x.y * y.x - x.x * y.y", "(x.y * y.x - x.x * y.y) * 1.0005f")
SAYS = "elements differ"
DROP_IN = "illegal memory access on input of rank 1"
