import { readFileSync } from 'fs';
import { join } from 'path';
import { expectAccessible } from './accessible';
import {
  cells,
  code,
  expect,
  openNotebook,
  openPanel,
  Page,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  setSource,
  SLOPE_0_011,
  tabTo,
  test,
  verdict
} from './gate';
import { ROOT } from './servers';

/** A program that forgets to declare its function to C++. */
const UNDECLARED = `import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <torch/extension.h>
__global__ void leaky(const float* x, float* y, int64_t n, float slope) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}
torch::Tensor leaky_relu(torch::Tensor x, double slope) {
  auto y = torch::empty_like(x);
  int64_t n = x.numel();
  leaky<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, slope);
  return y;
}
"""
m = load_inline("m", cpp_sources="", cuda_sources=CUDA, functions=["leaky_relu"])

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return m.leaky_relu(x, self.negative_slope)
`;

/** What the example of docs/many-candidates.md is answered, when the run has ended. */
function verifyAsDocumented(page: Page): Promise<unknown> {
  const path = join(ROOT, 'docs', 'many-candidates.md');
  const [, example] = /```js\n(.*?)```/s.exec(readFileSync(path, 'utf8'))!;
  return page.evaluate(
    `(async app => { ${example}; return answer; })(window.jupyterapp)`
  );
}

test('shows where a wrong cell of CUDA goes wrong, and raises a short error', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(SLOPE_0_011.replace('0.011f * x[i]', 'x[i] / 90'))
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

  await report
    .getByRole('button', { name: 'Insert failing case as a cell' })
    .press('Enter');

  const failing = page.locator('.jp-Notebook:visible .jp-CodeCell').nth(2);
  await expect(failing).toHaveClass(/jp-mod-active/);
  await expect(failing).toContainText('kernelgate.draw_case(');
  await expect(failing.locator('.jp-OutputArea-output')).toHaveCount(0);

  await runCell(page, 2);

  const shown = failing.locator('.jp-OutputArea-output');
  await expect(shown).toContainText('elements differed', {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(shown).toContainText(/The first is \[\d+, \d+\]: expected -/);
  await expect(shown).toContainText(/\[0, \d+\]: input -.*, expected -0\.0/);

  await setSource(page, 1, SLOPE_0_011.replace('0.011f', '0.01f'));
  await report.getByRole('button', { name: 'Run again' }).click();

  await expect(verdict(report)).toHaveText(/^Correct/, {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(report).toHaveCount(1);
});

test('underlines a wrong constant at its place, and inserts the right one', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(SLOPE_0_011)
  ]);
  await runCell(page, 0);
  await runCell(page, 1);
  const report = reports(page);
  await expect(verdict(report)).toHaveText(
    'Wrong result: negative inputs are multiplied by 0.011 instead of 0.01',
    { timeout: RUN_TIMEOUT_MS }
  );
  const cell = page.locator('.jp-Notebook:visible .jp-CodeCell').nth(1);
  await expect(cell.locator('.cm-lintRange-error')).toHaveText('0.011f');
  await expect(report.locator('mark')).toHaveText([
    '0.011f',
    '0.011f',
    '0.01f'
  ]);
  await expectAccessible(page, 'kernelgate-report');

  await tabTo(page, report.getByRole('button', { name: 'Insert fix' }));
  await page.keyboard.press('Enter');

  await expect
    .poll(async () => (await cells(page))[1]?.source)
    .toBe(SLOPE_0_011.replace('0.011f', '0.01f'));
});

test('goes from a build failure to its line in the cell', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(SLOPE_0_011.replace('  if (i', '  nonsense;\n  if (i'))
  ]);
  await runCell(page, 0);
  await runCell(page, 1);
  const report = reports(page);
  await expect(verdict(report)).toHaveText(/^Does not compile: .*nonsense/, {
    timeout: RUN_TIMEOUT_MS
  });

  await tabTo(page, report.getByRole('button', { name: 'Go to line 6' }));
  await page.keyboard.press('Enter');

  await expect(
    page.locator('.jp-Cell.jp-mod-active .cm-content')
  ).toBeFocused();
  await expect.poll(() => lineOfCursor(page)).toBe('  nonsense;');

  // The line itself says it, among CUDA in the colours of C++, until it changes.
  const cell = page.locator('.jp-Cell.jp-mod-active');
  const wrong = cell.locator('.cm-lintRange-error');
  await expect(wrong).toHaveText('nonsense;');
  await expect(
    cell.locator('.jp-KernelCuda span', { hasText: /^return$/ })
  ).not.toHaveCount(0);
  await page.keyboard.press('F8');
  await wrong.hover();
  await expect(page.locator('.cm-tooltip-lint')).toContainText('nonsense');
  await page.keyboard.press('End');
  await page.keyboard.type(' ');
  await expect(wrong).toHaveCount(0);
});

test('inserts a certain fix by one press, says that the report is older, and passes when run again @main', async ({
  page,
  tmpPath
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openNotebook(page, tmpPath, [code(UNDECLARED)]);
  const panel = await openPanel(page);
  const answer = await verifyAsDocumented(page);
  const report = reports(page);
  await expect(verdict(report)).toHaveText(
    'Does not compile: cpp_sources declares no leaky_relu',
    { timeout: RUN_TIMEOUT_MS }
  );
  const cellId = (await cells(page))[1]?.id;
  expect(answer).toEqual({
    cellId,
    run: expect.stringMatching(/./),
    outcome: 'fail',
    sentence: 'Does not compile: cpp_sources declares no leaky_relu'
  });
  // The report names the text of the cell as the page does.
  const older = report.getByRole('note', { name: 'Older than the cell' });
  await expect(older).toHaveCount(0);

  // It says "Copied" for two seconds.
  const copy = report.getByRole('button', { name: /^Cop(y|ied): / });
  const FORMS = {
    'Copy as text': /^FAILED +does not compile: cpp_sources declares/m,
    'Copy as Markdown': /^\*\*.*Does not compile.*\*\*\n\n```text/,
    'Copy for the model': /^FAIL: Does not compile/,
    'Copy as JSON': /"kind": "build"/
  };
  for (const [name, words] of Object.entries(FORMS)) {
    await copy.press('Enter');
    await page.getByRole('menuitem', { name }).click();
    await expect(copy).toBeFocused();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(words);
  }
  await copy.click();
  await page.getByRole('menuitem', { name: 'Copy as PNG' }).click();
  await expect.poll(() => copiedTypes(page)).toEqual(['image/png']);

  await tabTo(page, report.getByRole('button', { name: 'Insert fix' }));
  await page.keyboard.press('Enter');

  await expect(
    page.locator('.jp-Cell.jp-mod-active .cm-content')
  ).toBeFocused();
  await expect
    .poll(() => lineOfCursor(page))
    .toBe(
      'm = load_inline("m", cpp_sources="torch::Tensor leaky_relu(torch::Tensor x, double slope);", cuda_sources=CUDA, functions=["leaky_relu"])'
    );
  await expect(older).toBeVisible();
  await expect(panel.getByRole('row', { name: /LeakyReLU/ })).toContainText(
    'older than the cell'
  );

  await page.keyboard.press('Control+z');

  await expect
    .poll(async () => (await cells(page))[0]?.source)
    .toBe(UNDECLARED);
  await expect(older).toHaveCount(0);

  await report.getByRole('button', { name: 'Insert fix' }).click();
  await older.getByRole('button', { name: 'Run again' }).click();

  await expect(verdict(report)).toHaveText(/^Correct/, {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(older).toHaveCount(0);
});

function lineOfCursor(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => {
    const at = getSelection()?.anchorNode;
    const element = at instanceof Element ? at : at?.parentElement;
    return element?.closest('.cm-line')?.textContent;
  });
}

function copiedTypes(page: Page): Promise<string[]> {
  return page.evaluate(async () =>
    (await navigator.clipboard.read()).flatMap(({ types }) => [...types])
  );
}
