"""A residual and a norm of it, both written in place, as servers of language models call it."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, residual, weight):
        residual.add_(x)
        mean = residual.pow(2).mean(-1, keepdim=True)
        x.copy_(residual * torch.rsqrt(mean + 1e-6) * weight)

def get_inputs():
    return [torch.randn(33, 96), torch.randn(33, 96), torch.rand(96)]
"""
HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, residual, weight):
        ext.run(x, residual, weight)
"""
CUDA = """
__global__ void add_and_norm(float* x, float* residual, const float* weight, int columns) {
  __shared__ float sums[128];
  float* row = x + (long)blockIdx.x * columns;
  float* kept = residual + (long)blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    float value = row[i] + kept[i];
    kept[i] = value;
    sum += value * value;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 64; half; half >>= 1) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  float scale = rsqrtf(sums[0] / columns + 1e-6f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) row[i] = kept[i] * scale * weight[i];
}

void run(torch::Tensor x, torch::Tensor residual, torch::Tensor weight) {
  add_and_norm<<<x.size(0), 128, 0, STREAM>>>(x.data_ptr<float>(), residual.data_ptr<float>(),
                                              weight.data_ptr<float>(), (int)x.size(1));
}
"""
MISTAKE = ("    kept[i] = value;\n", "    kept[i] = value * (i + 1 < columns);\n")
SAYS = "what is written to input 1: "
DROP_IN = "strided input"
