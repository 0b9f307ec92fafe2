import {
  code,
  expect,
  openNotebook,
  reports,
  RIGHT_PROGRAM,
  RUN_TIMEOUT_MS,
  runCell,
  test,
  verdict
} from './gate';

test('brings the head of a report below a long program into sight, as its run starts and as it ends', async ({
  page,
  tmpPath
}) => {
  const tall = RIGHT_PROGRAM + '# more\n'.repeat(80);
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(`%%leakyrelu_cuda\n${tall}`)
  ]);
  await runCell(page, 0);
  await runCell(page, 1);

  const report = reports(page);
  await expect(report).toHaveAttribute('aria-busy', 'true');
  await expect(verdict(report)).toBeInViewport();

  await expect(verdict(report)).toHaveText(/^Correct/, {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(verdict(report)).toBeInViewport();
  await expect(report.locator('header')).toBeInViewport();
});
