import {
  cells,
  code,
  expect,
  openNotebook,
  openPanel,
  reports,
  RUN_TIMEOUT_MS,
  test,
  verdict
} from './gate';

test('an operator of another extension is offered, inserted and verified like ours @example', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('')]);
  const panel = await openPanel(page);

  await panel
    .getByRole('button', { name: 'Insert optimized Squared ReLU' })
    .click();
  await expect
    .poll(async () => (await cells(page))[0]?.source)
    .toContain('squared_relu<<<');
  await panel
    .getByRole('button', { name: 'Check Squared ReLU on CPU' })
    .click();

  await expect(verdict(reports(page))).toContainText('Correct', {
    timeout: RUN_TIMEOUT_MS
  });
  await expect
    .poll(async () => (await cells(page))[1]?.source)
    .toContain('kernelgate.verify("squared_relu"');
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('apputils:activate-command-palette')
  );
  await page
    .locator('.lm-CommandPalette-input:visible')
    .fill('Insert optimized Squared');
  await expect(
    page.getByRole('menuitem', { name: 'Insert optimized Squared ReLU' })
  ).toBeVisible();
});
