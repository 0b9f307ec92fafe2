"""Whole numbers in and out, element by element."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return x // 3, x % 7, x.bincount(minlength=50)


def get_inputs():
    return [torch.randint(0, 50, (200,))]
"""

CUDA = """
__global__ void parts_kernel(const long* x, long* third, long* rest, long* counts, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    long q = x[i] / 3;
    third[i] = q - (x[i] % 3 < 0);
    rest[i] = (x[i] % 7 + 7) % 7;
    if (x[i] >= 0 && x[i] < 50) atomicAdd((unsigned long long*)&counts[x[i]], 1ull);
}

std::vector<torch::Tensor> parts(torch::Tensor x) {
    TORCH_CHECK(x.scalar_type() == torch::kInt64, "int64 only");
    auto third = torch::empty_like(x), rest = torch::empty_like(x);
    auto counts = torch::zeros({50}, x.options());
    long n = x.numel();
    if (n)
        parts_kernel<<<(n + 127) / 128, 128, 0, STREAM>>>(
            x.data_ptr<long>(), third.data_ptr<long>(), rest.data_ptr<long>(), counts.data_ptr<long>(), n);
    return {third, rest, counts};
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return tuple(ext.parts(x.contiguous()))
"""

MISTAKE = ("(x[i] % 7 + 7) % 7", "(x[i] % 5 + 5) % 5")
SAYS = "result 2 of 3"
DROP_IN = True
