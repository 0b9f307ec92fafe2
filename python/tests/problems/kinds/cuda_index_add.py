"""Rows added up at indices, by atomics, in any order."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, at):
        return torch.zeros(20, x.shape[1], device=x.device, dtype=x.dtype).index_add(0, at, x)


def get_inputs():
    return [torch.randn(64, 24), torch.randint(0, 20, (64,))]
"""

CUDA = """
__global__ void index_add_kernel(const float* x, const long* at, float* y, long n, int width) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&y[at[i / width] * width + i % width], x[i]);
}

torch::Tensor index_add(torch::Tensor x, torch::Tensor at) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::zeros({20, x.size(1)}, x.options());
    long n = x.numel();
    if (n)
        index_add_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            x.data_ptr<float>(), at.data_ptr<long>(), y.data_ptr<float>(), n, x.size(1));
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, at):
        return ext.index_add(x.contiguous(), at.contiguous())
"""

MISTAKE = (
    "atomicAdd(&y[at[i / width] * width + i % width], x[i])",
    "y[at[i / width] * width + i % width] = x[i]",
)
SAYS = ""
DROP_IN = "does not support"
