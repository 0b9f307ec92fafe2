"""ELU by expm1; the wrong one by exp(x) - 1."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return F.elu(x)


def get_inputs():
    return [torch.randn(24, 100) * 1e-3]
"""

CUDA = """
__global__ void elu_kernel(const float* x, float* y, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 || x[i] != x[i] ? x[i] : expm1f(x[i]);
}

torch::Tensor elu(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n) elu_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.elu(x.contiguous())
"""

MISTAKE = ("expm1f(x[i])", "expf(x[i]) - 1.0f")
SAYS = "exp(x) - 1 loses digits"
DROP_IN = "strides"
