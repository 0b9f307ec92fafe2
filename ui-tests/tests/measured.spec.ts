import {
  code,
  expect,
  openNotebook,
  reportOutput,
  reports,
  selectCell,
  tabTo,
  test,
  verdict
} from './gate';

test('shows a saved benchmark and profile, and asks nobody for it @main', async ({
  page,
  tmpPath,
  baseURL
}) => {
  const strangers: string[] = [];
  page.on('request', request => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== baseURL) {
      strangers.push(request.url());
    }
  });
  await openNotebook(
    page,
    tmpPath,
    ['benchmark', 'profile', 'cell-profile'].map(name =>
      code('', [reportOutput(name)])
    )
  );

  await expect(reports(page)).toHaveCount(3);
  const [same, faster, cell] = await reports(page).all();
  await expect(verdict(same!)).toHaveText(
    'Correct, same speed as PyTorch eager'
  );
  await expect(verdict(faster!)).toHaveText(
    "Correct, 1.01x faster forward, and at the device's memory limit"
  );
  await expect(verdict(cell!)).toContainText('Profiled: 56 operators');
  await expect(
    faster!.getByRole('row', { name: /^This kernel/ }).first()
  ).toContainText('1.011x faster');

  // A chart is one tab stop, and the arrow keys give its values.
  const times = same!.getByRole('group', { name: 'Forward, one call' });
  await selectCell(page, 0);
  await tabTo(page, times);
  await page.keyboard.press('ArrowDown');
  await expect(
    same!.getByText('This kernel: 36.80 µs, 1.000x, same, SAME')
  ).toBeVisible();
  // Pointing gives them too.
  await times.getByRole('row', { name: /^torch\.compile/ }).hover();
  await expect(
    same!.getByText('torch.compile: 36.90 µs, 1.001x, same, SAME')
  ).toBeVisible();

  // A section opens by the keyboard, and every bar of its timeline is drawn.
  const profile = faster!.locator('details', {
    hasText: 'Kernel timeline'
  });
  await tabTo(page, profile.locator('summary'));
  await page.keyboard.press('Enter');
  const backward = profile.getByRole('group', {
    name: 'Kernel timeline, backward'
  });
  await expect(backward.getByRole('img', { name: /4 launches/ })).toBeVisible();
  await expect(backward.locator('tbody rect')).toHaveCount(10);

  // What is drawn stays inside of its report.
  const overflow = () =>
    reports(page)
      .locator('.jp-KernelReport-scroll')
      .or(reports(page))
      .evaluateAll(all =>
        Math.max(...all.map(one => one.scrollWidth - one.clientWidth))
      );
  await expect.poll(overflow).toBeLessThanOrEqual(0);
  expect(strangers).toEqual([]);
});
