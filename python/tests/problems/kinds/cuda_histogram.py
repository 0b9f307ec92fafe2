"""A histogram; the wrong one leaves out what lies on the upper bound."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.histc(x, bins=12, min=-3.0, max=3.0)


def get_inputs():
    return [torch.randn(3000)]
"""

CUDA = """
__global__ void histogram_kernel(const float* x, float* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    if (value >= -3.0f && value <= 3.0f) {
        int bin = (int)((value + 3.0f) * 2.0f);
        atomicAdd(&counts[min(bin, 11)], 1.0f);
    }
}

torch::Tensor histogram(torch::Tensor x) {
    auto counts = torch::zeros({12}, x.options());
    int n = x.numel();
    if (n) histogram_kernel<<<(n + 255) / 256, 256, 0, STREAM>>>(x.data_ptr<float>(), counts.data_ptr<float>(), n);
    return counts;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.histogram(x.contiguous())
"""

MISTAKE = ("value <= 3.0f", "value < 3.0f")
SAYS = "1 of 12 elements"
DROP_IN = "does not support half input"
