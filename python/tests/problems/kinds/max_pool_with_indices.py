"""Pooling: the largest values, and where they stand."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return F.max_pool2d(x, 2, return_indices=True)


def get_inputs():
    return [torch.randn(4, 6, 12, 10)]
"""

CUDA = """
__global__ void pool_kernel(const float* x, float* y, long* where, long count, int height, int width) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    int h = height / 2, w = width / 2;
    if (i >= count) return;
    long image = i / (h * w) * height * width;
    int top = i / w % h * 2, left = i % w * 2, best = top * width + left;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
            int at = (top + dy) * width + left + dx;
            if (x[image + at] > x[image + best] || isnan(x[image + at])) best = at;
        }
    y[i] = x[image + best];
    where[i] = best;
}

std::vector<torch::Tensor> pool(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.dim() == 4, "images of float32 only");
    int height = x.size(2), width = x.size(3);
    auto y = torch::empty({x.size(0), x.size(1), height / 2, width / 2}, x.options());
    auto where = torch::empty(y.sizes(), x.options().dtype(torch::kInt64));
    long n = y.numel();
    if (n)
        pool_kernel<<<(n + 63) / 64, 64, 0, STREAM>>>(
            x.data_ptr<float>(), y.data_ptr<float>(), where.data_ptr<long>(), n, height, width);
    return {y, where};
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return tuple(ext.pool(x.contiguous()))
"""

MISTAKE = ("where[i] = best", "where[i] = best + 1")
SAYS = "result 2 of 2"
DROP_IN = "does not support"
