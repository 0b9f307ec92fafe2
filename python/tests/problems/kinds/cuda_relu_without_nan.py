"""ReLU by fmaxf, which does not pass on NaN: right for a problem that holds none."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(24, 100)]
"""

CUDA = """
__global__ void relu_kernel(const float* x, float* y, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

torch::Tensor relu(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n) relu_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.relu(x.contiguous())
"""

MISTAKE = ("fmaxf(x[i], 0.0f)", "fmaxf(x[i], 0.0f) * 1.0005f")
SAYS = "every element"
DROP_IN = "NaN is not passed on"
