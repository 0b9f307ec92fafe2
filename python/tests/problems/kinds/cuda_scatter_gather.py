"""Values are picked by one list of indices, and the largest kept at another."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, source, place):
        picked = torch.gather(x, 1, source)
        return torch.full_like(x, -9.0).scatter_reduce(1, place, picked, "amax")


def get_inputs():
    return [torch.randn(12, 30), torch.randint(0, 30, (12, 40)), torch.randint(0, 30, (12, 40))]
"""

CUDA = """
__device__ void atomic_max(float* at, float value) {
    if (!signbit(value)) atomicMax(reinterpret_cast<int*>(at), __float_as_int(value));
    else atomicMin(reinterpret_cast<unsigned*>(at), __float_as_uint(value));
}

__global__ void move_kernel(const float* x, const long* source, const long* place, float* y, long n, int width,
                            int count) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) atomic_max(y + i / count * width + place[i], x[i / count * width + source[i]]);
}

torch::Tensor move(torch::Tensor x, torch::Tensor source, torch::Tensor place) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 only");
    auto y = torch::full_like(x, -9.0);
    long n = source.numel();
    if (n)
        move_kernel<<<(n + 63) / 64, 64, 0, STREAM>>>(x.data_ptr<float>(), source.data_ptr<long>(),
            place.data_ptr<long>(), y.data_ptr<float>(), n, x.size(1), source.size(1));
    return y;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, source, place):
        return ext.move(x.contiguous(), source.contiguous(), place.contiguous())
"""

MISTAKE = ("+ place[i], x[i / count * width + source[i]]", "+ source[i], x[i / count * width + place[i]]")
SAYS = "with input 2 and input 3 exchanged"
DROP_IN = "does not support"
