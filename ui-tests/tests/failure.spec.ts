import {
  code,
  expect,
  openNotebook,
  openPanel,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  test,
  verdict
} from './gate';

const SLOPE_0_011 = `%%leakyrelu_cuda
#include <torch/extension.h>

__global__ void leaky(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0.011f * x[i];
}

torch::Tensor leaky_relu(torch::Tensor x, double negative_slope) {
  auto y = torch::empty_like(x);
  int64_t n = x.numel();
  leaky<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
`;

test('shows where a wrong cell of CUDA goes wrong, and raises a short error', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(SLOPE_0_011)
  ]);
  const panel = await openPanel(page);
  await runCell(page, 0);

  await runCell(page, 1);

  const report = reports(page);
  await expect(verdict(report)).toContainText('Wrong result', {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(report).toContainText('What to do');
  await expect(
    report.getByRole('table').getByText('wrong').first()
  ).toBeVisible();
  const cell = page.locator('.jp-Notebook:visible .jp-CodeCell').nth(1);
  await expect(cell).toContainText('NotVerified: ');
  await expect(cell).not.toContainText('Traceback');
  await expect(panel.getByRole('row', { name: /LeakyReLU/ })).toContainText(
    'wrong result'
  );
});
