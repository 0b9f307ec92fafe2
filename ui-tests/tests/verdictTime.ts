/** How long a person waits for a verdict in emulation; nothing is asserted of it. */

import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Locator } from '@playwright/test';
import { rm } from 'fs/promises';
import { join } from 'path';
import { note } from './figures';
import {
  code,
  expect,
  kernelIs,
  openNotebook,
  openPanel,
  type Page,
  runCell,
  selectCell,
  test
} from './gate';
import { STATE } from './servers';

test('from a press of Check to the verdict', async ({ page, tmpPath }) => {
  test.setTimeout(600_000);
  const cache = join(STATE, `cold-cache-${Date.now()}`);
  await openNotebook(page, tmpPath, [
    code(`import os; os.environ["KERNELGATE_CACHE"] = "${cache}"`),
    code('')
  ]);
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  await selectCell(page, 1);
  await panel
    .getByRole('button', { name: 'Insert optimized LeakyReLU' })
    .click();
  const inNewKernel = async () => {
    await runCell(page, 0);
    await kernelIs(page, 'idle');
    return secondsToVerdict(page, panel);
  };
  const cold = await inNewKernel();
  const same: number[] = [];
  for (let n = 0; n < 5; n++) {
    same.push(await secondsToVerdict(page, panel));
  }
  const fresh: number[] = [];
  for (let n = 0; n < 3; n++) {
    await restart(page);
    fresh.push(await inNewKernel());
  }
  await rm(cache, { recursive: true, force: true });
  note('to the verdict', {
    cold_cache_s: cold,
    new_kernel_s: fresh,
    same_kernel_s: same
  });
});

async function secondsToVerdict(page: Page, panel: Locator): Promise<number> {
  const button = panel.getByRole('button', {
    name: 'Check LeakyReLU on CPU'
  });
  await expect(button).toHaveAttribute('aria-disabled', 'false');
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')
  );
  const pressed = performance.now();
  await button.click();
  await page.waitForFunction(
    () =>
      document
        .querySelector('.jp-KernelReport')
        ?.textContent?.includes('Correct in emulation'),
    undefined,
    { polling: 'raf', timeout: 300_000 }
  );
  const seconds = (performance.now() - pressed) / 1000;
  await kernelIs(page, 'idle');
  return seconds;
}

function restart(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    await front.sessionContext.restartKernel();
  });
}
