"""The reference writes to its input."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        x += 1
        return x * 2


def get_inputs():
    return [torch.randn(24, 40)]
"""

CUDA = """
__global__ void step_kernel(float* x, float* y, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] += 1;
    y[i] = x[i] * 2;
}

torch::Tensor step(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.is_contiguous(), "dense float32 only");
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n) step_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.step(x)
"""

MISTAKE = ("x[i] += 1", "x[i] += 2")
SAYS = "every element is 2 larger"
DROP_IN = "does not support"
