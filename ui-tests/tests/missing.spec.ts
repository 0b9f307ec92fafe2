import type { NotebookPanel } from '@jupyterlab/notebook';
import {
  cells,
  code,
  expect,
  kernelIs,
  open,
  openNotebook,
  openPanel,
  type Page,
  reports,
  RIGHT_PROGRAM,
  RUN_TIMEOUT_MS,
  savedNotebook,
  selectCell,
  test,
  upload,
  verdict
} from './gate';
import { expectAccessible } from './accessible';

test('says that the package is missing, and offers the install cell @gateway @main', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('')], 'without-kernelgate');

  const panel = await openPanel(page);

  await expect(panel).toContainText(
    'The kernelgate package is missing in this kernel'
  );
  await expect(panel).toContainText('Python without kernelgate');
  await expect(
    panel.getByRole('button', { name: 'Verify LeakyReLU' })
  ).toBeDisabled();

  await panel.getByRole('button', { name: 'Insert install cell' }).click();

  // What inserts cells is loaded with the first press.
  await expect
    .poll(async () => String((await cells(page))[0]?.source))
    .toContain('The kernel takes nothing but bytes');
  await expectAccessible(page, '#kernelgate-panel');
});

test('sends the package to a kernel without network by a cell that says what comes, and verifies there @gateway', async ({
  page,
  tmpPath
}) => {
  const wheels: string[] = [];
  page.on('request', request => {
    if (request.url().includes('/static/wheels/')) {
      wheels.push(request.url().replace(/.*\//, ''));
    }
  });
  const path = await openNotebook(page, tmpPath, [code('')], 'bare-python');
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Insert install cell' }).click();

  await expect
    .poll(async () => String((await cells(page))[0]?.source))
    .toContain('kernelgate-0.1.0-py3-none-any.whl');
  const [cell] = await cells(page);
  expect(cell).toMatchObject({ execution_count: null, outputs: [] });
  expect(wheels).toEqual(['manifest.json']);
  await page.screenshot({ path: test.info().outputPath('inserted.png') });
  await expectAccessible(page, '#kernelgate-panel');

  // A page that has not inserted the cell answers it as well.
  await savedNotebook(page, path);
  await page.reload();
  await open(page, path);
  await kernelIs(page, 'idle');
  await selectCell(page, 0);
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('notebook:run-cell')
  );

  const output = page.locator('.jp-OutputArea-output');
  await expect(output).toHaveText(
    /^kernelgate 0\.1\.0 is here, in \/\S+\/kernelgate-\w+; it goes with this kernel\s*$/
  );
  await expect(panel).toContainText('No GPU in this kernel');
  await page.screenshot({ path: test.info().outputPath('sent.png') });
  expect(wheels.filter(name => name.endsWith('.whl'))).toHaveLength(2);

  await page.evaluate(source => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    const shared = front.content.model!.sharedModel;
    shared.insertCell(1, { cell_type: 'code', source });
  }, RIGHT_PROGRAM);
  await selectCell(page, 1);
  await panel.getByRole('button', { name: 'Check LeakyReLU on CPU' }).click();
  await expect(verdict(reports(page))).toHaveText(/^Correct in emulation/, {
    timeout: RUN_TIMEOUT_MS
  });
});

test('names an older and a newer package with what to do, and verifies in the kernel that is chosen then @gateway', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code(RIGHT_PROGRAM)], 'older-kernelgate');
  const panel = await openPanel(page);
  const check = panel.getByRole('button', {
    name: /^(Check|Verify) LeakyReLU/
  });
  await expect(panel).toContainText(
    'The kernelgate package in this kernel is too old'
  );
  await expect(panel).toContainText('The package is version 0.0.1.');
  await expect(panel).toContainText('Install the version that JupyterLab has');
  await expect(check).toBeDisabled();
  await expectAccessible(page, '#kernelgate-panel');

  await changeKernel(page, 'newer-kernelgate');

  await expect(panel).toContainText(
    'This extension is too old for the kernel’s package'
  );
  await expect(panel).toContainText('The package is version 99.0.0.');
  await expect(panel).toContainText('Upgrade kernelgate where JupyterLab runs');
  await expect(check).toBeDisabled();

  await changeKernel(page, 'python3');
  await check.click();

  await expect(verdict(reports(page))).toHaveText(/^Correct in emulation/, {
    timeout: RUN_TIMEOUT_MS
  });
});

test('offers nothing in a kernel of another language, sends it nothing, and says why @gateway', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('')], 'another-language');

  const panel = await openPanel(page);

  await expect(panel).toContainText('This kernel runs R');
  const insert = panel.getByRole('button', { name: 'Insert optimized Leaky' });
  const verify = panel.getByRole('button', { name: 'Verify LeakyReLU' });
  for (const button of [insert, verify]) {
    await expect(button).toBeDisabled();
    await expect(button).toHaveAttribute('title', /This kernel runs R/);
    await button.click({ force: true });
  }
  expect(await cells(page)).toMatchObject([{ source: '' }]);
  await expect(panel).toContainText('Sent: nothing');
  await expectAccessible(page, '#kernelgate-panel');
});

test('says that a notebook has no kernel where none was chosen', async ({
  page,
  tmpPath
}) => {
  const path = `${tmpPath}/none.ipynb`;
  await upload(page, path, {
    cells: [code('x = 1')],
    metadata: { kernelspec: { name: 'nobody', display_name: 'nobody' } },
    nbformat: 4,
    nbformat_minor: 5
  });
  const panel = await openPanel(page);
  await open(page, path);
  const dialog = page.getByRole('dialog');

  await dialog.getByRole('button', { name: 'No Kernel' }).click();

  await expect(panel).toContainText('This notebook has no kernel');
  await expect(
    panel.getByRole('button', { name: 'Choose kernel' })
  ).toBeVisible();
  await expectAccessible(page, '#kernelgate-panel');
});

test('says on the page that there is nothing to verify, and offers a program', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('x = 1')]);
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Check LeakyReLU on CPU' }).click();

  const message = page.locator('.Toastify__toast', {
    hasText: 'There is no program for LeakyReLU here'
  });
  await expect(message).toBeVisible();
  await message.getByRole('button', { name: 'Insert LeakyReLU' }).click();

  await expect.poll(async () => (await cells(page)).length).toBe(2);
});

/** What choosing another kernel in the dialog does. */
async function changeKernel(page: Page, name: string): Promise<void> {
  await page.evaluate(async name => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    await front.sessionContext.changeKernel({ name });
  }, name);
}
