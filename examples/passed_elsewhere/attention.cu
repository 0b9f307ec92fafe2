#include <torch/extension.h>

constexpr int TILE = 64;
constexpr int WIDTH = 16;

// A thread a query. Keys and values come by the tile, and the softmax is kept up to date as they come.
__global__ void attention_kernel(const float* q, const float* k, const float* v, float* y, int n) {
  __shared__ float keys[TILE][WIDTH], values[TILE][WIDTH];
  const int me = threadIdx.x;
  const int row = blockIdx.x * TILE + me;
  float query[WIDTH], result[WIDTH], sum = 0, largest = -INFINITY;
  for (int c = 0; c < WIDTH; ++c) {
    query[c] = q[row * WIDTH + c] * rsqrtf(WIDTH);
    result[c] = 0;
  }
  for (int tile = 0; tile < n; tile += TILE) {
    for (int c = 0; c < WIDTH; ++c) {
      keys[me][c] = k[(tile + me) * WIDTH + c];
      values[me][c] = v[(tile + me) * WIDTH + c];
    }
    __syncthreads();
    for (int j = 0; j < TILE; ++j) {
      float score = 0;
      for (int c = 0; c < WIDTH; ++c) score += query[c] * keys[j][c];
      const float larger = fmaxf(largest, score);
      const float shrink = expf(largest - larger), weight = expf(score - larger);
      for (int c = 0; c < WIDTH; ++c) result[c] = result[c] * shrink + weight * values[j][c];
      sum = sum * shrink + weight;
      largest = larger;
    }
  }
  for (int c = 0; c < WIDTH; ++c) y[row * WIDTH + c] = result[c] / sum;
}

torch::Tensor attention(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  const int n = k.size(0);
  TORCH_CHECK(n % TILE == 0 && q.size(0) % TILE == 0 && q.size(1) == WIDTH, "whole tiles of 64 rows, 16 wide");
  auto y = torch::empty_like(q);
  attention_kernel<<<q.size(0) / TILE, TILE>>>(q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(),
                                               y.data_ptr<float>(), n);
  return y;
}
