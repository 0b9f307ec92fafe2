/**
 * A page that knows no JupyterLab extension, here the classic notebook: of a
 * report it draws the HTML beside it, live.
 */

import { expect, test } from '@playwright/test';
import { join } from 'path';
import { code, RUN_TIMEOUT_MS, SLOPE_0_011 } from './gate';
import { putNotebook } from './otherHost';
import { RESULTS } from './servers';

test('shows the report as HTML while the run goes on, and at its end', async ({
  page,
  baseURL
}, { project }) => {
  const name = await putNotebook(page, baseURL, [
    code('%load_ext kernelgate'),
    code(SLOPE_0_011)
  ]);
  await page.goto(name);
  await expect(page.locator('.kernel_idle_icon')).toBeVisible();
  await page.locator('.code_cell').first().click();
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');

  const output = page.locator('.code_cell').nth(1).locator('.output');
  await expect(output).toContainText(/Compiling|Checking/, {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(output).toContainText('Wrong result', {
    timeout: RUN_TIMEOUT_MS
  });
  await expect(output.getByRole('table').first()).toContainText('What to do');
  await expect(output).toContainText('NotVerified: ');
  await expect(output).not.toContainText('Traceback');
  await page.screenshot({ path: join(RESULTS, `${project.name}.png`) });
});
