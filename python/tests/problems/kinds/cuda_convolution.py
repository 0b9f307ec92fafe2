"""A convolution with bias; the wrong one mixes up height and width."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 4, 3, 3) / 6)
        self.bias = nn.Parameter(torch.randn(6))

    def forward(self, x):
        return F.conv2d(x, self.weight, self.bias, padding=1)


def get_inputs():
    return [torch.randn(2, 4, 9, 13)]
"""

CUDA = """
__global__ void convolution_kernel(const float* x, const float* w, const float* b, float* y, int n, int in, int out,
                                   int height, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int px = i % width, py = i / width % height, o = i / (width * height) % out, image = i / (width * height * out);
    float sum = b[o];
    for (int c = 0; c < in; c++)
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) {
                int row = py + dy - 1, col = px + dx - 1;
                if (row < 0 || row >= height || col < 0 || col >= width) continue;
                sum += w[((o * in + c) * 3 + dy) * 3 + dx] * x[((image * in + c) * height + row) * width + col];
            }
    y[i] = sum;
}

torch::Tensor convolution(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
    int n = y.numel();
    if (n)
        convolution_kernel<<<(n + 63) / 64, 64, 0, STREAM>>>(
            x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(), y.data_ptr<float>(), n, x.size(1),
            w.size(0), x.size(2), x.size(3));
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 4, 3, 3) / 6)
        self.bias = nn.Parameter(torch.randn(6))

    def forward(self, x):
        return ext.convolution(x.contiguous(), self.weight, self.bias)
"""

MISTAKE = ("c) * height + row) * width + col", "c) * width + col) * height + row")
SAYS = ""
DROP_IN = ""
