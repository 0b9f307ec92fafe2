import {
  cells,
  code,
  expect,
  open,
  openNotebook,
  reports,
  REPORT_MIME,
  RUN_TIMEOUT_MS,
  runCell,
  savedNotebook,
  test,
  verdict
} from './gate';

/** Takes ten seconds and more to check, on any machine. */
const SLOW = `%%leakyrelu_cuda
import time
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        time.sleep(0.4)
        return F.leaky_relu(x, self.negative_slope)
`;

test('follows a run to its end after the page was reloaded in its middle', async ({
  page,
  tmpPath
}) => {
  // The page asks before it is left, as the run goes on changing the notebook.
  page.on('dialog', dialog => dialog.accept());
  const path = await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(SLOW)
  ]);
  await runCell(page, 0);
  await runCell(page, 1);
  const report = reports(page);
  await expect(verdict(report)).toHaveText('Checking', {
    timeout: RUN_TIMEOUT_MS
  });
  await savedNotebook(page, path);

  await page.reload();
  await open(page, path);

  await expect(verdict(report)).toHaveText('Checking');
  await expect(verdict(report)).toContainText('Correct in emulation', {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(report).toHaveCount(1);
  await savedNotebook(page, path);
  expect((await cells(page))[1]?.outputs).toMatchObject([
    { data: { [REPORT_MIME]: { state: 'finished' } } }
  ]);
});
