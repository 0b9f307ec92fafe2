"""A transposed convolution with bias, by gathering."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(6, 5, 3, stride=2, padding=1)

    def forward(self, x):
        return self.up(x)


def get_inputs():
    return [torch.randn(2, 6, 9, 7)]
"""

CUDA = """
__global__ void up_kernel(const float* x, const float* w, const float* b, float* y, long count, int in, int out,
                          int height, int width) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    int tall = 2 * height - 1, wide = 2 * width - 1;
    if (i >= count) return;
    int column = i % wide, row = i / wide % tall, channel = i / (wide * tall) % out;
    const float* image = x + i / ((long)wide * tall * out) * in * height * width;
    float sum = b[channel];
    for (int c = 0; c < in; c++)
        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++) {
                int top = row + 1 - ky, left = column + 1 - kx;
                if (top < 0 || left < 0 || top % 2 || left % 2 || top / 2 >= height || left / 2 >= width) continue;
                sum += image[(c * height + top / 2) * width + left / 2] * w[((c * out + channel) * 3 + ky) * 3 + kx];
            }
    y[i] = sum;
}

torch::Tensor up(torch::Tensor x, torch::Tensor w, torch::Tensor b) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.dim() == 4, "batches of float32 only");
    int height = x.size(2), width = x.size(3);
    auto y = torch::empty({x.size(0), w.size(1), 2 * height - 1, 2 * width - 1}, x.options());
    long n = y.numel();
    if (n)
        up_kernel<<<(n + 63) / 64, 64, 0, STREAM>>>(x.data_ptr<float>(), w.data_ptr<float>(), b.data_ptr<float>(),
            y.data_ptr<float>(), n, x.size(1), w.size(1), height, width);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(6, 5, 3, stride=2, padding=1)

    def forward(self, x):
        return ext.up(x.contiguous(), self.up.weight.contiguous(), self.up.bias)
"""

MISTAKE = ("float sum = b[channel]", "float sum = 0")
SAYS = "without the bias of its convolution"
DROP_IN = "autocast"
