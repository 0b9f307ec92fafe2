import type { NotebookPanel } from '@jupyterlab/notebook';
import {
  cells,
  code,
  expect,
  kernelIs,
  open,
  openNotebook,
  openPanel,
  Page,
  reportOutput,
  reports,
  RIGHT_PROGRAM,
  RUN_TIMEOUT_MS,
  runCell,
  savedNotebook,
  selectCell,
  setSource,
  test,
  verdict
} from './gate';

const PASS = 'Correct in emulation; timing not measured';

test('verifies the inserted program in a cell below, and its report stays @gateway @main', async ({
  page,
  tmpPath
}) => {
  const path = await openNotebook(page, tmpPath, [code('')]);
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  await panel
    .getByRole('button', { name: 'Insert optimized LeakyReLU' })
    .click();
  await expect
    .poll(async () => (await cells(page))[0]?.source)
    .toContain('class ModelNew');

  await panel.getByRole('button', { name: 'Check LeakyReLU on CPU' }).click();

  const report = reports(page);
  await expect(verdict(report)).toHaveText(PASS, { timeout: RUN_TIMEOUT_MS });
  await expect
    .poll(async () => ((await cells(page))[1]?.outputs as unknown[]).length)
    .toBe(1);
  const [program, check] = await cells(page);
  expect(check?.source).toContain(
    `kernelgate.verify("leakyrelu", cell="${program?.id}")`
  );
  expect(program?.execution_count).toBeNull();

  await selectCell(page, 0);
  const run = panel.getByRole('row', { name: /LeakyReLU/ });
  await expect(run).toContainText('correct in emulation');
  await run.getByRole('button', { name: 'Go to cell [1]' }).click();
  await expect(page.locator('.jp-Cell.jp-mod-active')).toContainText(PASS);

  await savedNotebook(page, path);
  await page.reload();
  await open(page, path);
  await expect(verdict(report)).toHaveText(PASS);
  await expect(run).toContainText('correct in emulation');

  await page.menu.clickMenuItem('Kernel>Shut Down Kernel');
  await kernelIs(page, 'unknown');
  await expect(verdict(report)).toHaveText(PASS);
});

test('keeps what a person has written into the verify cell', async ({
  page,
  tmpPath
}) => {
  const EDITED =
    'import kernelgate\nkernelgate.verify("leakyrelu", cell="cell-0", timeout=170)';
  await openNotebook(page, tmpPath, [
    code(RIGHT_PROGRAM),
    { ...code(''), metadata: { kernelgate: { verify: 'cell-0' } } }
  ]);
  await setSource(page, 1, EDITED);
  const panel = await openPanel(page);
  await selectCell(page, 0);
  await panel.getByRole('button', { name: 'Check LeakyReLU on CPU' }).click();
  const report = reports(page);
  await expect(verdict(report)).toHaveText(PASS, { timeout: RUN_TIMEOUT_MS });

  await report.getByRole('button', { name: /^Run again/ }).click();

  // The second run may be over before anybody looks.
  await expect
    .poll(async () => (await cells(page))[1]?.execution_count)
    .toBe(2);
  await expect(verdict(report)).toHaveText(PASS, { timeout: RUN_TIMEOUT_MS });
  expect((await cells(page)).map(({ source }) => source).slice(1)).toEqual([
    EDITED
  ]);
});

test('draws the report of a notebook that is not trusted @main', async ({
  page,
  tmpPath
}) => {
  const html = { 'text/html': '<b id="html-fallback">Correct</b>' };
  await openNotebook(page, tmpPath, [code('', [reportOutput('pass', html)])]);

  await expect(verdict(reports(page))).toHaveText(PASS);

  expect(await isTrusted(page)).toBe(false);
  await expect(page.locator('#html-fallback')).toHaveCount(0);
});

function isTrusted(page: Page): Promise<boolean | undefined> {
  return page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    return front.content.model?.cells.get(0).trusted;
  });
}

test('verifies a cell with a magic at more cases by a call below it, which takes the options of its line', async ({
  page,
  tmpPath
}) => {
  const magic = `%%leakyrelu_cuda --contract drop-in\n${RIGHT_PROGRAM}`;
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(magic)
  ]);
  await runCell(page, 0);
  await selectCell(page, 1);
  const done = page.evaluate(() =>
    window.jupyterapp.commands.execute('kernelgate:verify', { thorough: true })
  );
  // The cell came with the file, and so a person sees what it says.
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'Run it' })
    .click();
  await done;
  await expect(verdict(reports(page).last())).toHaveText(
    /^Correct, and a drop-in|^Correct in emulation/,
    { timeout: RUN_TIMEOUT_MS }
  );
  const texts = (await cells(page)).map(cell => cell.source);
  expect(texts[1]).toBe(magic);
  expect(texts[2]).toBe(
    'import kernelgate\nkernelgate.verify(cell="cell-1", thorough=True)'
  );
});
