import {
  cells,
  code,
  expect,
  openNotebook,
  REPORT_MIME,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  test,
  verdict
} from './gate';
import { childrenOf } from './processes';

test('cancels a run in its own output, and the kernel and no judge lives on @gateway', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [
    code('import kernelgate; kernelgate.verify("leakyrelu")'),
    code('import os; os.getpid()')
  ]);
  await runCell(page, 0);
  const report = reports(page);
  await expect(verdict(report)).toHaveText('Checking', {
    timeout: RUN_TIMEOUT_MS
  });

  await report.getByRole('button', { name: 'Cancel' }).click();

  await expect(verdict(report)).toHaveText(
    'Cancelled while checking: no verdict'
  );
  await expect(report).toHaveCount(1);
  // The button is gone; whoever used the keyboard is at what came of it.
  await expect(
    report.getByRole('heading').filter({ hasText: 'Cancelled' })
  ).toBeFocused();
  await runCell(page, 1);
  const alive = page
    .locator('.jp-CodeCell')
    .nth(1)
    .locator('.jp-OutputArea-output');
  await expect(alive).toHaveText(/^\d+$/);
  expect((await cells(page))[0]?.outputs).toMatchObject([
    { data: { [REPORT_MIME]: { verdict: { kind: 'cancelled' } } } },
    // Run All stops here.
    { output_type: 'error', ename: 'Cancelled' }
  ]);
  const kernel = Number(await alive.textContent());
  // The warm process stays for the next run; a judge would be its child.
  const warm = childrenOf(kernel);
  expect(warm.length).toBeLessThanOrEqual(1);
  expect(warm.flatMap(childrenOf)).toEqual([]);
});
