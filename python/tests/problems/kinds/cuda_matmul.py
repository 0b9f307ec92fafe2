"""A product of two inputs, in tiles."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    return [torch.randn(40, 56), torch.randn(56, 36)]
"""

CUDA = """
__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[16][16], bs[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < k; start += 16) {
        int ka = start + threadIdx.x, kb = start + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * (long)k + ka] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = kb < k && col < n ? b[kb * (long)n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * (long)n + col] = sum;
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.scalar_type() == torch::kFloat32, "float32 only");
    int m = a.size(0), k = a.size(1), n = b.size(1);
    auto c = torch::empty({m, n}, a.options());
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    if (m && n)
        matmul_kernel<<<grid, block, 0, STREAM>>>(
            a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k);
    return c;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, a, b):
        return ext.matmul(a.contiguous(), b.contiguous())
"""

MISTAKE = ("start < k; start += 16", "start < k - 15; start += 16")
SAYS = "elements differ"
DROP_IN = ""
