"""An image of bytes, brightened: whole numbers that are cut off at 255."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, image):
        return (image.int() * 5 // 4 + 3).clamp(max=255).to(torch.uint8)


def get_inputs():
    return [torch.randint(0, 256, (24, 40), dtype=torch.uint8)]
"""

CUDA = """
__global__ void brighten_kernel(const unsigned char* x, unsigned char* y, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = min(x[i] * 5 / 4 + 3, 255);
}

torch::Tensor brighten(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kUInt8, "bytes only");
    auto y = torch::empty_like(x);
    long n = x.numel();
    if (n)
        brighten_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(x.data_ptr<uint8_t>(), y.data_ptr<uint8_t>(), n);
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, image):
        return ext.brighten(image.contiguous())
"""

MISTAKE = ("min(x[i] * 5 / 4 + 3, 255)", "x[i] * 5 / 4 + 3")
SAYS = ""
DROP_IN = "strides"
