/** What a person does at first, with every press counted: words that they type are none. */

import type { Locator } from '@playwright/test';
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
  selectCell,
  setSource,
  test,
  verdict
} from './gate';

const CORRECT = /^Correct/;

/** Counts presses, of the pointer and of keys that act. */
class Presses {
  count = 0;

  async on(target: Locator): Promise<void> {
    this.count++;
    await target.click();
  }

  async key(page: Page, key: string): Promise<void> {
    this.count++;
    await page.keyboard.press(key);
  }
}

/** The bar of a cell of the notebook in front. */
function bar(page: Page, index: number): Locator {
  return page
    .locator('.jp-Notebook:visible .jp-CodeCell')
    .nth(index)
    .getByRole('group', { name: 'Check the program of this cell' });
}

function button(within: Locator, name: string): Locator {
  return within.getByRole('button', { name, exact: true });
}

async function copied(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(text => navigator.clipboard.writeText(text), text);
}

async function isVerified(
  page: Page,
  words: RegExp | string = CORRECT
): Promise<void> {
  await expect(verdict(reports(page).last())).toHaveText(words, {
    timeout: RUN_TIMEOUT_MS
  });
}

const MODEL = `import torch
import torch.nn as nn

rows, columns = 16, 64

class Model(nn.Module):
    def forward(self, x):
        return torch.abs(x) * 2

def get_inputs():
    return [torch.randn(16, 64)]

def get_init_inputs():
    return []
`;

const MODEL_NEW = `import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def forward(self, x):
        return torch.abs(2 * x)
`;

const ANSWER = `Sure! The problem, for reference:

\`\`\`python
${MODEL}\`\`\`

A first idea:

\`\`\`python
class ModelNew(nn.Module):
    ... as above
\`\`\`

Here is the whole program:

\`\`\`python
${MODEL_NEW}\`\`\`

Run it with \`python main.py\`. Good luck!
`;

test('inserts a program and verifies it in 2 presses; its bar says what came', async ({
  page,
  tmpPath
}) => {
  const presses = new Presses();
  await openNotebook(page, tmpPath, [code('')]);

  await presses.on(
    page.getByRole('button', { name: 'Insert optimized LeakyReLU' }).first()
  );
  await expect(bar(page, 0)).toContainText(/LeakyReLU, \d+ lines\./);
  await expect(
    bar(page, 0).getByRole('combobox', { name: 'Check against' })
  ).toHaveValue('leakyrelu');
  await presses.on(button(bar(page, 0), 'Verify'));

  await isVerified(page);
  expect(presses.count).toBe(2);
});

test('a pasted answer with its Model is verified in 1 press, against that Model', async ({
  page,
  tmpPath
}) => {
  const presses = new Presses();
  await openNotebook(page, tmpPath, [code('')]);
  const panel = await openPanel(page);
  await copied(page, ANSWER);

  await presses.on(button(panel, 'Paste and verify'));

  await isVerified(page);
  const texts = (await cells(page)).map(cell => String(cell.source).trim());
  expect(texts.slice(0, 2)).toEqual([MODEL.trim(), MODEL_NEW.trim()]);
  expect(texts[2]).toContain('reference="cell:');
  await expect(bar(page, 1)).toContainText('Model above (16x64)');
  expect(presses.count).toBe(1);
});

test('an own program is verified against torch.nn.GELU in 2 presses', async ({
  page,
  tmpPath
}) => {
  const presses = new Presses();
  await openNotebook(page, tmpPath, [
    code(MODEL_NEW.replace(/return .*/, 'return torch.nn.functional.gelu(x)'))
  ]);
  const choice = bar(page, 0).getByRole('combobox', { name: 'Check against' });
  await expect(choice.locator(':checked')).toHaveText('Choose…');

  await presses.on(button(bar(page, 0), 'Verify'));
  await expect(page.getByRole('dialog')).toContainText('checked against');
  await page.keyboard.insertText('torch.nn.GELU()');
  await page.keyboard.press('Tab'); // between two fields
  await page.keyboard.insertText('8x64');
  await presses.key(page, 'Enter');

  await isVerified(page);
  await expect(choice.locator(':checked')).toHaveText('torch.nn.GELU(), 8x64');
  expect(presses.count).toBe(2);
});

/** The compiler is certain what it lacks. */
const UNDECLARED = `import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <torch/extension.h>
__global__ void twice(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = fabsf(2 * x[i]);
}
torch::Tensor abs_twice(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int64_t n = x.numel();
  twice<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""
m = load_inline("m", cpp_sources="", cuda_sources=CUDA, functions=["abs_twice"])

class ModelNew(nn.Module):
    def forward(self, x):
        return m.abs_twice(x)
`;

test('a failing program is fixed and verified in 2 more presses, and two runs are compared in 2', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code(''), code('')]);
  await setSource(page, 0, MODEL);
  await setSource(page, 1, UNDECLARED);
  await selectCell(page, 1);
  await expect(bar(page, 1)).toContainText('Model above (16x64)');
  await button(bar(page, 1), 'Verify').click();
  await isVerified(page, /^Does not compile/);

  const presses = new Presses();
  await presses.on(
    reports(page).getByRole('button', { name: 'Insert fix' }).first()
  );
  await presses.on(button(bar(page, 1), 'Verify'));
  await isVerified(page);
  expect(presses.count).toBe(2);

  const panel = await openPanel(page);
  const both = panel.getByRole('checkbox', { name: /Compare run/ });
  await expect(both).toHaveCount(2);
  await presses.on(both.nth(0));
  await presses.on(both.nth(1));
  await expect(panel.getByRole('region', { name: 'Comparison' })).toBeVisible();
  expect(presses.count).toBe(4);

  // One list of the attempts, with the best of them.
  await expect(
    panel.getByRole('img', {
      name: /^Attempts: #1 does not build; #2 correct/
    })
  ).toBeVisible();
  await expect(panel.getByText(/best so far: #2, correct/)).toBeVisible();
  await expectAccessible(page, 'kernelgate-panel');
});

test('the bar comes and goes with the program, is reached by Tab alone, and is accessible in each theme', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code(''), code('x = 1')]);
  await setSource(page, 0, `${MODEL}\n${MODEL_NEW}`);
  await expect(bar(page, 0)).toContainText('Model in this cell (16x64)');
  await expect(bar(page, 1)).toHaveCount(0);

  await setSource(page, 1, MODEL_NEW);
  await expect(bar(page, 1)).toContainText('Model above (16x64)');
  await expectAccessible(page, 'kernelgate-bar');
  await setSource(page, 1, 'x = 1');
  await expect(bar(page, 1)).toHaveCount(0);

  await selectCell(page, 0);
  const verify = button(bar(page, 0), 'Verify');
  for (let n = 0; n < 10; n++) {
    await page.keyboard.press('Tab');
    if (await verify.evaluate(node => node === document.activeElement)) {
      break;
    }
  }
  await expect(verify).toBeFocused();
  await page.keyboard.press('Enter');
  await isVerified(page);
});
