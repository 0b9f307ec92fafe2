/**
 * The main story, by what JupyterLab 4.4 and Notebook 7 have in common: insert,
 * verify, cancel, the panel, a reload.
 */

import { expect, test } from '@playwright/test';
import { join } from 'path';
import { CHECKING, code, heldProgram, RUN_TIMEOUT_MS } from './gate';
import { openHere, putNotebook, selectHere } from './otherHost';
import { RESULTS } from './servers';

test('inserts, verifies with progress, cancels, and keeps the reports', async ({
  page,
  baseURL
}, { project }) => {
  const { source } = heldProgram(test.info());
  const name = await putNotebook(page, baseURL, [code(source), code('')]);
  await openHere(page, name);
  await selectHere(page, 1);
  await page
    .getByRole('button', { name: 'Insert optimized LeakyReLU' })
    .first()
    .click();
  await expect(
    page.locator('.jp-Cell.jp-mod-active .jp-InputPlaceholder')
  ).toContainText('LeakyReLU in CUDA');

  await page.evaluate(() =>
    window.jupyterapp.shell.activateById('kernelgate-panel')
  );
  const panel = page.getByRole('region', { name: 'KernelGate' });
  await expect(panel).toContainText('No GPU in this kernel', {
    timeout: RUN_TIMEOUT_MS
  });
  const check = panel.getByRole('button', { name: 'Check LeakyReLU on CPU' });
  await check.click();
  const reports = page.locator('.jp-Notebook').getByRole('article');
  await expect(reports.getByRole('status')).toHaveText(
    'Correct in emulation; timing not measured',
    { timeout: RUN_TIMEOUT_MS }
  );
  await page.screenshot({ path: join(RESULTS, `${project.name}.png`) });

  await selectHere(page, 0);
  await check.click();
  const slow = reports.first();
  await expect(slow.getByRole('status')).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });
  await slow.getByRole('button', { name: 'Cancel' }).click();
  await expect(slow.getByRole('status')).toHaveText(
    'Cancelled while checking: no verdict'
  );
  await expect(panel.getByRole('row', { name: /LeakyReLU/ })).toHaveCount(2);

  await page.evaluate(() =>
    window.jupyterapp.commands.execute('docmanager:save')
  );
  await openHere(page, name);
  await expect(reports.getByRole('status')).toHaveText([
    'Cancelled while checking: no verdict',
    'Correct in emulation; timing not measured'
  ]);
});
