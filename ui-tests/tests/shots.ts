/**
 * Pictures to look at, nothing asserted: KERNELGATE_SHOTS=FOLDER npm run test:ui
 */

import { join } from 'path';
import {
  CHECKING,
  code,
  expect,
  heldProgram,
  openNotebook,
  openPanel,
  Page,
  reportOutput,
  reports,
  RUN_TIMEOUT_MS,
  runCell,
  SLOPE_0_011,
  STATES,
  test,
  verdict
} from './gate';

const FOLDER = process.env.KERNELGATE_SHOTS ?? '';
const THEMES = {
  light: 'JupyterLab Light',
  dark: 'JupyterLab Dark',
  contrast: 'JupyterLab Dark High Contrast'
};
const WIDTHS_PX = [1400, 900, 480];

const PROGRAMS = {
  pass: '%leakyrelu_cuda',
  wrong: SLOPE_0_011,
  build: SLOPE_0_011.replace('if (i < n)', 'nonsense;\n  if (i < n)')
};

/** Makes the report that wide; Lab itself gives what the window leaves. */
async function setReportWidth(page: Page, width: number): Promise<void> {
  await page.addStyleTag({
    content: `.jp-KernelReport { width: ${width}px; }`
  });
}

async function shoot(page: Page, name: string): Promise<void> {
  const panel = page.getByRole('region', { name: 'KernelGate' });
  for (const [theme, title] of Object.entries(THEMES)) {
    await page.theme.setTheme(title);
    for (const width of WIDTHS_PX) {
      await setReportWidth(page, width);
      await reports(page).screenshot({
        path: join(FOLDER, `${name}-${theme}-${width}.png`)
      });
    }
    await panel.screenshot({
      path: join(FOLDER, `${name}-${theme}-panel.png`)
    });
  }
}

for (const [name, source] of Object.entries(PROGRAMS)) {
  test(`pictures of ${name}`, async ({ page, tmpPath }) => {
    await page.setViewportSize({ width: 1900, height: 1800 });
    await openNotebook(page, tmpPath, [
      code('%load_ext kernelgate'),
      code(source)
    ]);
    await openPanel(page);
    await runCell(page, 0);
    await runCell(page, 1);
    await expect(reports(page).locator('footer')).toContainText(
      'report version',
      { timeout: RUN_TIMEOUT_MS }
    );

    await shoot(page, name);
  });
}

test('pictures of what stands in the editor', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(PROGRAMS.build),
    code(`from torch.utils.cpp_extension import load_inline

SOURCE = """
${SLOPE_0_011.slice(SLOPE_0_011.indexOf('\n') + 1)}"""
m = load_inline("m", cpp_sources="", cuda_sources=SOURCE)`)
  ]);
  await page.sidebar.close('left');
  await runCell(page, 0);
  await runCell(page, 1);
  const wrong = page.locator('.cm-lintRange-error');
  await expect(wrong).toBeVisible({ timeout: RUN_TIMEOUT_MS });
  for (const [theme, title] of Object.entries(THEMES)) {
    await page.theme.setTheme(title);
    await page.locator('.cm-lint-marker').first().scrollIntoViewIfNeeded();
    await wrong.hover();
    await page.locator('.cm-tooltip-lint').waitFor();
    await page.screenshot({ path: join(FOLDER, `editor-${theme}.png`) });
    await page.locator('.jp-KernelCuda').last().scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(FOLDER, `strings-${theme}.png`) });
  }
});

test('pictures of every state of a saved report, as it is at first', async ({
  page,
  tmpPath
}) => {
  test.setTimeout(900_000);
  await page.setViewportSize({ width: 1900, height: 1800 });
  await openNotebook(
    page,
    tmpPath,
    STATES.map(state => code('', [reportOutput(state)]))
  );
  await expect(reports(page)).toHaveCount(STATES.length);
  for (const [theme, title] of Object.entries(THEMES)) {
    await page.theme.setTheme(title);
    for (const width of WIDTHS_PX) {
      await setReportWidth(page, width);
      for (const [n, state] of STATES.entries()) {
        await reports(page)
          .nth(n)
          .screenshot({
            path: join(FOLDER, 'states', `${state}-${theme}-${width}.png`)
          });
      }
    }
  }
});

/** Those with most in their sections. */
for (const name of [
  'graded',
  'weak',
  'profile',
  'cell-profile',
  'slower',
  'unclear',
  'sweep',
  'other-arithmetic'
]) {
  test(`pictures of ${name} with every section open`, async ({
    page,
    tmpPath
  }) => {
    await page.setViewportSize({ width: 1900, height: 1800 });
    await openNotebook(page, tmpPath, [code('', [reportOutput(name)])]);
    await openPanel(page);
    await reports(page)
      .locator('details:not([open])')
      .evaluateAll(folds =>
        folds.forEach(fold => fold.toggleAttribute('open', true))
      );

    await shoot(page, name);
  });
}

test('pictures of a run', async ({ page, tmpPath }) => {
  await page.setViewportSize({ width: 1900, height: 1200 });
  const { source } = heldProgram(test.info());
  await openNotebook(page, tmpPath, [code(source)]);
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Check LeakyReLU on CPU' }).click();
  await expect(verdict(reports(page))).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });

  await shoot(page, 'running');
});

test('pictures of a kernel without the package', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [code('')], 'without-kernelgate');
  const panel = await openPanel(page);
  await expect(panel).toContainText('missing');

  await panel.screenshot({ path: join(FOLDER, 'missing-panel.png') });
});

test('the picture of the README', async ({ page, tmpPath }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openNotebook(page, tmpPath, [
    code('%load_ext kernelgate'),
    code(PROGRAMS.wrong)
  ]);
  await page.theme.setTheme(THEMES.light);
  await page.sidebar.close('left');
  await openPanel(page);
  await runCell(page, 0);
  await runCell(page, 1);
  await expect(reports(page).locator('footer')).toContainText(
    'report version',
    { timeout: RUN_TIMEOUT_MS }
  );
  await page.screenshot({ path: join(FOLDER, 'panel.png') });
});
