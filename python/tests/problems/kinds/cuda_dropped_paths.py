"""Rows that are left out at random, by numbers drawn into memory that held anything. The wrong one scales them less."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, y):
        keep = x.new_empty(x.shape[0], 1).bernoulli_(0.75)
        return x + y * keep / 0.75


def get_inputs():
    return [torch.randn(640, 24), torch.randn(640, 24)]
"""

CUDA = """
__global__ void add_rows_kernel(const float* x, const float* y, const float* drawn, float* sum, long n, int width) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) sum[i] = x[i] + (drawn[i / width] < 0.75f ? y[i] / 0.75f : 0.f * y[i]);
}

torch::Tensor add_rows(torch::Tensor x, torch::Tensor y, torch::Tensor drawn) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.sizes() == y.sizes(), "float32 only");
    auto sum = torch::empty_like(x);
    long n = x.numel();
    if (n)
        add_rows_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(x.data_ptr<float>(), y.data_ptr<float>(),
            drawn.data_ptr<float>(), sum.data_ptr<float>(), n, x.size(1));
    return sum;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, y):
        drawn = torch.rand(x.shape[0], 1, device=x.device)
        return ext.add_rows(x.contiguous(), y.contiguous(), drawn)
"""

MISTAKE = ("y[i] / 0.75f", "y[i] / 0.9f")
SAYS = "of its random results"
DROP_IN = ""
