import { cells, code, expect, openNotebook, openPanel, test } from './gate';

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

  expect(await cells(page)).toMatchObject([
    { source: '%pip install kernelgate', execution_count: null }
  ]);
});
