import {
  code,
  expect,
  openNotebook,
  reportOutput,
  reports,
  test,
  verdict
} from './gate';

for (const theme of ['JupyterLab Light', 'JupyterLab Dark']) {
  test(`shows a saved benchmark and profile in ${theme}, and asks nobody for it`, async ({
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
    await page.theme.setTheme(theme);
    await openNotebook(
      page,
      tmpPath,
      ['benchmark', 'profile'].map(name => code('', [reportOutput(name)]))
    );

    await expect(reports(page)).toHaveCount(2);
    for (const report of await reports(page).all()) {
      await expect(verdict(report)).toHaveText(
        "Correct, 1.01x faster forward, and at the device's memory limit"
      );
      await expect(
        report.getByRole('row', { name: /^This kernel/ }).first()
      ).toContainText('1.010x faster');
    }

    // A chart is one tab stop, and the arrow keys give its values.
    const times = reports(page).first().getByRole('group', { name: 'Times' });
    await times.focus();
    await page.keyboard.press('ArrowDown');
    await expect(
      reports(page).first().getByText('This kernel: 3.015 ms, 1.010x faster')
    ).toBeVisible();
    // Pointing gives them too.
    await times.getByRole('row', { name: /^torch\.compile/ }).hover();
    await expect(
      reports(page).first().getByText('torch.compile: 3.037 ms, 1.003x, SAME')
    ).toBeVisible();

    // A section opens by the keyboard, and every bar of its timeline is drawn.
    const profile = reports(page)
      .last()
      .locator('details', { hasText: 'Kernel timeline' });
    await profile.locator('summary').focus();
    await page.keyboard.press('Enter');
    const step = profile.getByRole('group', {
      name: 'Kernel timeline, training step'
    });
    await expect(step.getByRole('img', { name: /2 launches/ })).toBeVisible();
    await expect(step.locator('tbody rect')).toHaveCount(10);

    // What is drawn stays inside of its report.
    const overflow = await reports(page).evaluateAll(all =>
      all.map(one => one.scrollWidth - one.clientWidth)
    );
    expect(Math.max(...overflow)).toBeLessThanOrEqual(0);
    expect(strangers).toEqual([]);
  });
}
