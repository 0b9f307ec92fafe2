"""Any number of tensors in a list."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, parts, scale):
        return torch.cat(parts, dim=1) * scale


def get_inputs():
    return [[torch.randn(24, n) for n in (3, 8, 5)], 2.5]
"""

CUDA = """
__global__ void part_kernel(const float* part, float* out, float scale, long n, int width, int at, int whole) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) out[i / width * whole + at + i % width] = part[i] * scale;
}

torch::Tensor scaled_cat(std::vector<torch::Tensor> parts, double scale) {
    int whole = 0, at = 0;
    for (auto& part : parts) whole += part.size(1);
    auto out = torch::empty({parts[0].size(0), whole}, parts[0].options());
    for (auto& part : parts) {
        TORCH_CHECK(part.scalar_type() == torch::kFloat32, "float32 only");
        long n = part.numel();
        int width = part.size(1);
        if (n)
            part_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
                part.data_ptr<float>(), out.data_ptr<float>(), scale, n, width, at, whole);
        at += width;
    }
    return out;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, parts, scale):
        return ext.scaled_cat([p.contiguous() for p in parts], scale)
"""

MISTAKE = ("        if (n)\n            part_kernel", "        if (n && at < 11)\n            part_kernel")
SAYS = "never written"
DROP_IN = "does not support"
