/**
 * A kernel ends in the middle of a run, on JupyterLab alone and behind gateways:
 * the page says so, no run is drawn as going on, and the next one works. Part of
 * `make smoke`: each starts a kernel twice.
 */

import type { NotebookPanel } from '@jupyterlab/notebook';
import {
  CHECKING,
  cellOutput,
  code,
  expect,
  heldProgram,
  type IHeld,
  openNotebook,
  openPanel,
  type Page,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  test,
  verdict
} from './gate';

/** A server may interrupt a kernel before it ends it: then the run was cancelled. */
const OVER = /^(Did not finish|Cancelled while checking): no verdict$/;

const isBehindGateway = (project: string) => project !== 'jupyterlab-4.6';

/** Opens a notebook and verifies its program, until its first check waits; the process id of its kernel. */
async function runIntoCheck(
  page: Page,
  folder: string,
  { source }: IHeld,
  project: string
): Promise<number> {
  await openNotebook(page, folder, [
    code(source),
    code('import os; os.getpid()')
  ]);
  await runCell(page, 1);
  await expect(cellOutput(page, 1)).toHaveText(/^\d+$/);
  const kernel = Number(await cellOutput(page, 1).textContent());
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  await expect(panel.getByText('remote: gateway')).toHaveCount(
    isBehindGateway(project) ? 1 : 0
  );
  await check(page);
  await expect(verdict(reports(page))).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });
  return kernel;
}

async function check(page: Page): Promise<void> {
  await page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    front.content.activeCellIndex = 0;
  });
  await page.getByRole('button', { name: 'Check LeakyReLU on CPU' }).click();
}

/** The run is over for everybody, and another one comes to its end. */
async function saysSoAndGoesOn(page: Page, program: IHeld): Promise<void> {
  const panel = page.getByRole('region', { name: 'KernelGate' });
  const report = reports(page);
  await expect(verdict(report)).toHaveText(OVER, { timeout: 60_000 });
  await expect(report.getByRole('button', { name: 'Cancel' })).toHaveCount(0);
  await expect(panel).toContainText('The kernel restarted', {
    timeout: 60_000
  });
  await expect(panel.getByRole('row', { name: /LeakyReLU/ })).toHaveCount(1);
  program.letGo();
  await check(page);
  await expect(verdict(report)).toHaveText(/^Correct in emulation/, {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(panel).not.toContainText('The kernel restarted');
}

test('says that the kernel was restarted in mid-run, and verifies in the new one', async ({
  page,
  tmpPath
}, { project }) => {
  const program = heldProgram(test.info());
  await runIntoCheck(page, tmpPath, program, project.name);

  await page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    void front.sessionContext.restartKernel();
  });

  await saysSoAndGoesOn(page, program);
});

test('says that the kernel was killed in mid-run, and verifies in the one that its server starts', async ({
  page,
  tmpPath
}, { project }) => {
  const program = heldProgram(test.info());
  const kernel = await runIntoCheck(page, tmpPath, program, project.name);

  // Lab says it, too, and waits for an answer.
  const dialog = page.getByRole('dialog', { name: 'Kernel Restarting' });
  await page.addLocatorHandler(dialog, () =>
    dialog.getByRole('button', { name: 'Ok' }).click()
  );
  process.kill(kernel, 'SIGKILL');

  await saysSoAndGoesOn(page, program);
});
