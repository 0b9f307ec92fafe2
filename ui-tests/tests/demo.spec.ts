/** The demo page of the documentation, as `make docs` has made it: no server, no kernel. */

import { expect, test } from '@playwright/test';
import { join } from 'path';
import { pathToFileURL } from 'url';
import { violations } from './accessible';
import type { Page } from './gate';
import { ROOT } from './servers';

const PAGE = pathToFileURL(join(ROOT, 'site/demo/index.html')).href;

test('draws saved reports on a page of the documentation, which can be opened and chosen by keyboard', async ({
  page
}) => {
  const requests: string[] = [];
  page.on('request', request => requests.push(request.url()));
  await page.goto(PAGE);
  const report = page.getByRole('article');
  await expect(report.getByRole('status')).toHaveText(
    'Wrong result: negative inputs are returned unchanged'
  );
  await expect(
    report.getByRole('img', { name: /Got against expected/ })
  ).toBeVisible();

  await page.getByRole('combobox', { name: 'Report' }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(report.getByRole('status')).toHaveText(/^Does not compile/);

  await page.getByRole('combobox', { name: 'Report' }).selectOption('profile');
  await expect(report.getByRole('status')).toHaveText(/^Correct, 1.01x faster/);
  const timing = report.locator('details', { hasText: 'IQR' }).first();
  await timing.locator('summary').first().press('Enter');
  await expect(timing).toHaveAttribute('open', '');

  for (const theme of ['light', 'dark']) {
    await page.evaluate(
      theme => document.documentElement.setAttribute('data-bs-theme', theme),
      theme
    );
    expect(await violations(page as never as Page, '#demo-report')).toEqual([]);
  }
  expect(requests.filter(url => !url.startsWith('file:'))).toEqual([]);
});
