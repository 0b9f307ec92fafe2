import {
  CHECKING,
  cellOutput,
  cells,
  code,
  expect,
  heldProgram,
  openNotebook,
  openPanel,
  REPORT_MIME,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  tabTo,
  test,
  verdict,
  verifyByKeyboard
} from './gate';
import { childrenOf } from './processes';

test('shows how far a run is, and cancels it in place; the kernel lives on without a judge @gateway @main', async ({
  page,
  tmpPath
}) => {
  const { source } = heldProgram(test.info());
  await openNotebook(page, tmpPath, [
    code(source),
    code('import os; os.getpid()')
  ]);
  const panel = await openPanel(page);
  const check = panel.getByRole('button', { name: 'Check LeakyReLU on CPU' });

  // Behind a gateway it may start for seconds, and is not asked meanwhile.
  await expect(check).toBeEnabled();
  await verifyByKeyboard(page, 0);

  const report = reports(page);
  await expect(verdict(report)).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(report).toHaveAttribute('aria-busy', 'true');
  await expect(report).toContainText(/checking( others)?: \d+ of \d+/i);
  await expect(report).toContainText(/\d s elapsed/);
  await expect(report.getByRole('progressbar')).toBeVisible();
  await expect(panel).toContainText(/LeakyReLU: .*checking/i);
  await expect(check).toBeDisabled();

  await tabTo(page, report.getByRole('button', { name: 'Cancel' }));
  await page.keyboard.press('Enter');

  await expect(verdict(report)).toHaveText(
    'Cancelled while checking: no verdict'
  );
  await expect(report).not.toHaveAttribute('aria-busy', 'true');
  // The button is gone; whoever used the keyboard is at what came of it.
  await expect(
    report.getByRole('heading').filter({ hasText: 'Cancelled' })
  ).toBeFocused();
  await expect(panel.getByRole('row', { name: /LeakyReLU/ })).toContainText(
    'cancelled'
  );

  await runCell(page, 2);
  const alive = cellOutput(page, 2);
  await expect(alive).toHaveText(/^\d+$/);
  await expect
    .poll(async () => (await cells(page))[1]?.outputs)
    .toMatchObject([
      { data: { [REPORT_MIME]: { verdict: { kind: 'cancelled' } } } },
      // Run All stops here.
      { output_type: 'error', ename: 'Cancelled' }
    ]);
  const kernel = Number(await alive.textContent());
  // The warm process stays for the next run; a judge would be its child.
  await expect.poll(() => childrenOf(kernel).length).toBeLessThanOrEqual(1);
  await expect.poll(() => childrenOf(kernel).flatMap(childrenOf)).toEqual([]);
});
