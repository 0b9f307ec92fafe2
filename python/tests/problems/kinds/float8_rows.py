"""Rows in float8 with a scale each: beside a half, the neighbour is as right."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(1, keepdim=True).clamp(min=1e-6) / 448.0
        return (x / scale).to(torch.float8_e4m3fn), scale


def get_inputs():
    return [torch.randn(32, 96)]
"""

CUDA = """
__global__ void rows_kernel(const float* x, float* y, float* scale, int n) {
    const float* row = x + blockIdx.x * n;
    float most = 1e-6f;
    for (int i = 0; i < n; i++) most = fmaxf(most, fabsf(row[i]));
    float by = most / 448.0f, inverse = 1.0f / by;
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = row[i] * inverse;
    if (threadIdx.x == 0) scale[blockIdx.x] = by;
}

std::vector<torch::Tensor> rows(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.dim() == 2, "matrices of float32 only");
    auto y = torch::empty_like(x), scale = torch::empty({x.size(0), 1}, x.options());
    if (x.numel())
        rows_kernel<<<x.size(0), 64, 0, STREAM>>>(
            x.data_ptr<float>(), y.data_ptr<float>(), scale.data_ptr<float>(), x.size(1));
    return {y, scale};
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        y, scale = ext.rows(x.contiguous())
        return y.to(torch.float8_e4m3fn), scale
"""

MISTAKE = ("most / 448.0f", "most / 440.0f")
SAYS = "result 1 of 2"
DROP_IN = "infinite and NaN input"
