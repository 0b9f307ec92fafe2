import {
  CHECKING,
  cells,
  code,
  expect,
  heldProgram,
  open,
  openNotebook,
  reports,
  REPORT_MIME,
  RUN_TIMEOUT_MS,
  runCell,
  savedNotebook,
  test,
  verdict
} from './gate';

test('follows a run to its end after the page was reloaded in its middle @gateway @main', async ({
  page,
  tmpPath
}) => {
  // The page asks before it is left, as the run goes on changing the notebook.
  page.on('dialog', dialog => dialog.accept());
  const program = heldProgram(test.info());
  const path = await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(`%%leakyrelu_cuda\n${program.source}`)
  ]);
  await runCell(page, 0);
  await runCell(page, 1);
  const report = reports(page);
  await expect(verdict(report)).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });
  await savedNotebook(page, path);

  await page.reload();
  await open(page, path);

  await expect(verdict(report)).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });
  program.letGo();
  await expect(verdict(report)).toContainText('Correct in emulation', {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(report).toHaveCount(1);
  await savedNotebook(page, path);
  await expect
    .poll(async () => (await cells(page))[1]?.outputs)
    .toMatchObject([{ data: { [REPORT_MIME]: { state: 'finished' } } }]);
});
