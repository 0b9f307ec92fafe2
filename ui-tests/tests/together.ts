/**
 * Two pages with one notebook, where the server keeps it for both: JupyterLab
 * with real-time collaboration, alone and with execution on the server.
 */

import { expect, type Page, test } from '@playwright/test';
import { CHECKING, code, heldProgram, RUN_TIMEOUT_MS } from './gate';
import { openHere, putNotebook, selectHere } from './otherHost';

test('two people see the same run, while it goes on and at its end', async ({
  page,
  context,
  baseURL
}) => {
  const program = heldProgram(test.info());
  const name = await putNotebook(page, baseURL, [code(program.source)]);
  await openHere(page, name);
  const other = await context.newPage();
  await openHere(other, name);
  // A server may give the answers of a kernel only to the page that was opened last.
  await selectHere(other, 0);
  await other.evaluate(() =>
    window.jupyterapp.shell.activateById('kernelgate-panel')
  );
  await other
    .getByRole('region', { name: 'KernelGate' })
    .getByRole('button', { name: 'Check LeakyReLU on CPU' })
    .click({ timeout: RUN_TIMEOUT_MS });

  for (const one of [page, other]) {
    await expect(verdict(one)).toHaveText(CHECKING, {
      timeout: RUN_TIMEOUT_MS
    });
  }
  program.letGo();
  for (const one of [page, other]) {
    await expect(verdict(one)).toHaveText(/^Correct in emulation/, {
      timeout: RUN_TIMEOUT_MS
    });
    await expect(reports(one)).toHaveCount(1);
  }
});

function reports(page: Page) {
  return page.locator('.jp-Notebook').getByRole('article');
}

/** A server may have an earlier report stand above it for a moment. */
function verdict(page: Page) {
  return reports(page).last().getByRole('status');
}
