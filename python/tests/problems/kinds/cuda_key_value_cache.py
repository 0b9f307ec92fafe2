"""A key and a value are put into a cache, which is read up to their place."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.randn(4, 24, 16))
        self.register_buffer("values", torch.randn(4, 24, 16))

    def forward(self, q, k, v, at):
        self.keys[:, at] = k
        self.values[:, at] = v
        scores = torch.einsum("hd,hnd->hn", q, self.keys[:, : at + 1]) / 4
        return torch.einsum("hn,hnd->hd", scores.softmax(-1), self.values[:, : at + 1])


def get_inputs():
    return [torch.randn(4, 16), torch.randn(4, 16), torch.randn(4, 16), 17]
"""

CUDA = """
__global__ void step_kernel(const float* q, const float* k, const float* v, float* keys, float* values, float* o,
                            int at, int length, int width) {
    __shared__ float scores[64];
    int head = blockIdx.x, d = threadIdx.x;
    keys += head * (long)length * width;
    values += head * (long)length * width;
    if (d < width) {
        keys[at * width + d] = k[head * width + d];
        values[at * width + d] = v[head * width + d];
    }
    __syncthreads();
    for (int j = d; j <= at; j += blockDim.x) {
        float score = 0;
        for (int i = 0; i < width; i++) score += q[head * width + i] * keys[j * width + i];
        scores[j] = score / 4;
    }
    __syncthreads();
    float most = -INFINITY, sum = 0, out = 0;
    for (int j = 0; j <= at; j++) most = fmaxf(most, scores[j]);
    for (int j = 0; j <= at; j++) {
        float weight = expf(scores[j] - most);
        sum += weight;
        if (d < width) out += weight * values[j * width + d];
    }
    if (d < width) o[head * width + d] = out / sum;
}

torch::Tensor step(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor keys, torch::Tensor values,
                   int64_t at) {
    TORCH_CHECK(q.scalar_type() == torch::kFloat32, "float32 only");
    int heads = q.size(0), width = q.size(1), length = keys.size(1);
    TORCH_CHECK(width <= 32 && length <= 64 && at < length, "at most 64 places of 32 numbers");
    auto o = torch::empty_like(q);
    step_kernel<<<heads, 32, 0, STREAM>>>(q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(),
        keys.data_ptr<float>(), values.data_ptr<float>(), o.data_ptr<float>(), at, length, width);
    return o;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.randn(4, 24, 16))
        self.register_buffer("values", torch.randn(4, 24, 16))

    def forward(self, q, k, v, at):
        return ext.step(q.contiguous(), k.contiguous(), v.contiguous(), self.keys, self.values, at)
"""

MISTAKE = ("values[at * width + d] = v", "values[at * width + d] += v")
SAYS = "elements differ"
DROP_IN = "one row"
