"""Attention with a causal mask of 0 and -inf as input, by running maxima."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, q, k, v, mask):
        return torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask, dim=-1) @ v


def get_inputs():
    q, k, v = (torch.randn(2, 3, 20, 16) for _ in range(3))
    return [q, k, v, torch.full((20, 20), -math.inf).triu(1)]
"""

CUDA = """
__global__ void attention_kernel(const float* q, const float* k, const float* v, const float* mask, float* o,
                                 int length, int width) {
    int row = threadIdx.x;
    long head = blockIdx.x * (long)length * width;
    float out[32] = {};
    float most = -INFINITY, sum = 0;
    for (int j = 0; j < length; j++) {
        float score = 0;
        for (int d = 0; d < width; d++) score += q[head + row * width + d] * k[head + j * width + d];
        score = score * rsqrtf((float)width) + mask[row * length + j];
        float next = fmaxf(most, score);
        if (next == -INFINITY) continue;
        float keep = expf(most - next), weight = expf(score - next);
        sum = sum * keep + weight;
        for (int d = 0; d < width; d++) out[d] = out[d] * keep + weight * v[head + j * width + d];
        most = next;
    }
    for (int d = 0; d < width; d++) o[head + row * width + d] = out[d] / sum;
}

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor mask) {
    TORCH_CHECK(q.scalar_type() == torch::kFloat32, "float32 only");
    int length = q.size(-2), width = q.size(-1);
    TORCH_CHECK(width <= 32, "heads of at most 32");
    auto o = torch::empty_like(q);
    if (q.numel())
        attention_kernel<<<q.numel() / (length * width), length, 0, STREAM>>>(
            q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), mask.data_ptr<float>(),
            o.data_ptr<float>(), length, width);
    return o;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, q, k, v, mask):
        return ext.attention(*(t.contiguous() for t in (q, k, v, mask)))
"""

MISTAKE = ("most - next", "0")
SAYS = "elements differ"
DROP_IN = ""
