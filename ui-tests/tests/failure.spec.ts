import type { NotebookPanel } from '@jupyterlab/notebook';
import {
  code,
  expect,
  openNotebook,
  openPanel,
  Page,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  SLOPE_0_011,
  test,
  verdict
} from './gate';

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

  await setSource(page, 1, SLOPE_0_011.replace('0.011f', '0.01f'));
  await report.getByRole('button', { name: 'Run again' }).click();

  await expect(verdict(report)).toHaveText(/^Correct/, {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(report).toHaveCount(1);
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

  await report.getByRole('button', { name: 'Go to line 6' }).click();

  await expect(
    page.locator('.jp-Cell.jp-mod-active .cm-content')
  ).toBeFocused();
  expect(await lineOfCursor(page)).toBe('  nonsense;');
});

/** Types into a cell at once: key by key, the editor would indent. */
function setSource(page: Page, index: number, source: string): Promise<void> {
  return page.evaluate(
    ({ index, source }) => {
      const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
      front.content.widgets[index]?.model.sharedModel.setSource(source);
    },
    { index, source }
  );
}

function lineOfCursor(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => {
    const at = getSelection()?.anchorNode;
    const element = at instanceof Element ? at : at?.parentElement;
    return element?.closest('.cm-line')?.textContent;
  });
}
