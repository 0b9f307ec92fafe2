"""A loss over one-hot rows, which the program takes as indices."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, logits, hot):
        return (logits.log_softmax(-1) * hot).sum(-1)


def get_inputs():
    return [torch.randn(24, 10), F.one_hot(torch.randint(0, 10, (24,)), 10).float()]
"""

CUDA = """
__global__ void loss_kernel(const float* logits, const float* hot, float* loss, int rows, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* x = logits + row * (long)n;
    float most = x[0], sum = 0;
    int target = 0;
    for (int i = 1; i < n; i++) most = fmaxf(most, x[i]);
    for (int i = 0; i < n; i++) {
        sum += expf(x[i] - most);
        if (hot[row * (long)n + i] != 0) target = i;
    }
    loss[row] = x[target] - most - logf(sum);
}

torch::Tensor loss(torch::Tensor logits, torch::Tensor hot) {
    TORCH_CHECK(logits.scalar_type() == torch::kFloat32, "float32 only");
    auto found = torch::empty({logits.size(0)}, logits.options());
    int rows = logits.size(0);
    if (rows)
        loss_kernel<<<(rows + 31) / 32, 32, 0, STREAM>>>(
            logits.data_ptr<float>(), hot.data_ptr<float>(), found.data_ptr<float>(), rows, logits.size(1));
    return found;
}
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, logits, hot):
        return ext.loss(logits.contiguous(), hot.contiguous())
"""

MISTAKE = ("!= 0) target = i", "== 0) target = i")
SAYS = "elements differ"
DROP_IN = "unstructured"
