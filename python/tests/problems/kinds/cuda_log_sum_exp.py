"""The logarithm of a sum of exponentials; the wrong one's maximum begins at 0, and not at -infinity."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.logsumexp(x, dim=1)


def get_inputs():
    return [torch.randn(40, 90)]
"""

CUDA = """
__global__ void log_sum_exp_kernel(const float* x, float* y, int rows, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* values = x + (long)row * n;
    float most = -INFINITY, sum = 0.0f;
    for (int i = 0; i < n; i++) most = fmaxf(most, values[i]);
    for (int i = 0; i < n; i++) sum += expf(values[i] - most);
    y[row] = most + logf(sum);
}

torch::Tensor log_sum_exp(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "a matrix only");
    int rows = x.size(0), n = x.size(1);
    auto y = torch::empty({rows}, x.options());
    if (rows)
        log_sum_exp_kernel<<<(rows + 63) / 64, 64, 0, STREAM>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return ext.log_sum_exp(x.contiguous())
"""

MISTAKE = ("most = -INFINITY", "most = 0.0f")
SAYS = "of 40 elements"
DROP_IN = "wrong on infinite and NaN input"
