"""A product with weights in float8, which the reference widens, and a scale."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, w, scale):
        return x @ (w.to(x.dtype) * scale)


def get_inputs():
    return [torch.randn(32, 48), torch.randn(48, 40).to(torch.float8_e5m2), torch.rand(1) + 0.5]
"""

CUDA = """
__global__ void product_kernel(const float* x, const float* w, const float* scale, float* y, int m, int k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    float sum = 0;
    for (int j = 0; j < k; j++) sum += x[i / n * k + j] * w[j * n + i % n];
    y[i] = sum * scale[0];
}

torch::Tensor product(torch::Tensor x, torch::Tensor w, torch::Tensor scale) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.dim() == 2, "matrices of float32 only");
    int m = x.size(0), k = x.size(1), n = w.size(1);
    auto y = torch::empty({m, n}, x.options());
    if (y.numel())
        product_kernel<<<(m * n + 63) / 64, 64, 0, STREAM>>>(
            x.data_ptr<float>(), w.data_ptr<float>(), scale.data_ptr<float>(), y.data_ptr<float>(), m, k, n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, w, scale):
        return ext.product(x.contiguous(), w.float().contiguous(), scale)
"""

MISTAKE = ("sum * scale[0]", "sum * scale[0] * 1.02f")
SAYS = "1.02 times"
DROP_IN = "NaN is not passed on"
