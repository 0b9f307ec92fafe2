"""Rotary positions by complex numbers: the reference converts to float32, where its inputs are float64 too."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, rotations):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * rotations[:, None]).flatten(-2).type_as(x)

def get_inputs():
    angles = torch.outer(torch.arange(32.0), 10000 ** (torch.arange(0, 64, 2) / -64))
    return [torch.randn(2, 32, 4, 64), torch.polar(torch.ones_like(angles), angles)]
"""
CUDA = """
__global__ void turn(const float* x, const float* rotations, float* y, long pairs, int heads, int length, int half) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    long place = i / half / heads % length * half + i % half;
    float even = x[2 * i], odd = x[2 * i + 1], cosine = rotations[2 * place], sine = rotations[2 * place + 1];
    y[2 * i] = even * cosine - odd * sine;
    y[2 * i + 1] = even * sine + odd * cosine;
}

torch::Tensor turned(torch::Tensor x, torch::Tensor rotations) {
    auto y = torch::empty_like(x);
    long pairs = x.numel() / 2;
    if (pairs)
        turn<<<(pairs + 127) / 128, 128, 0, STREAM>>>(x.data_ptr<float>(), rotations.data_ptr<float>(),
                                                     y.data_ptr<float>(), pairs, x.size(2), x.size(1), x.size(3) / 2);
    return y;
}
"""
HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, rotations):
        turns = torch.view_as_real(rotations).contiguous()
        return ext.turned(x.float().contiguous(), turns).type_as(x)
"""
MISTAKE = ("even * sine + odd", "even * sine - odd")
SAYS = "differ"
DROP_IN = "input of rank 5"
