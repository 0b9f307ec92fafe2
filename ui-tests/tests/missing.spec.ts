import {
  cells,
  code,
  expect,
  open,
  openNotebook,
  openPanel,
  test,
  upload
} from './gate';
import { expectAccessible } from './accessible';

test('says that the package is missing, and offers the install cell @gateway', async ({
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
    .poll(() => cells(page))
    .toMatchObject([
      { source: '%pip install kernelgate', execution_count: null }
    ]);
  await expectAccessible(page, '#kernelgate-panel');
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
