"""A boolean mask of its own."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, mask):
        return x.masked_fill(mask, -1.0)


def get_inputs():
    return [torch.randn(24, 40), torch.rand(24, 40) > 0.7]
"""

CUDA = """
__global__ void fill_kernel(const float* x, const bool* mask, float* y, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = mask[i] ? -1.0f : x[i];
}

torch::Tensor fill(torch::Tensor x, torch::Tensor mask) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n)
        fill_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            x.data_ptr<float>(), mask.data_ptr<bool>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, mask):
        return ext.fill(x.contiguous(), mask.contiguous())
"""

MISTAKE = ("mask[i] ? -1.0f : x[i]", "mask[i] ? x[i] : -1.0f")
SAYS = "with input 2 inverted"
DROP_IN = "does not support"
