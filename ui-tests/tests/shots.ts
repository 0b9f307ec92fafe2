/**
 * Pictures to look at, nothing asserted: KERNELGATE_SHOTS=FOLDER npm run test:ui
 */

import { writeFileSync } from 'fs';
import { join } from 'path';
import type { Locator } from '@playwright/test';
import { animated, type IFrame } from './animation';
import {
  cells,
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
  selectCell,
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
    await expect(reports(page).locator('details').last()).toContainText(
      'Details',
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

test('pictures of the bar below a program, and of This cell in the panel', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [
    code(`import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(16, 16384)]`),
    code(`class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.clamp(min=0)`),
    code('')
  ]);
  await selectCell(page, 2);
  await page
    .getByRole('button', { name: 'Insert optimized LeakyReLU' })
    .first()
    .click();
  await expect(page.locator('kernelgate-bar')).toHaveCount(2);
  const panel = await openPanel(page);
  await selectCell(page, 1);
  await panel.getByText('Effort and tolerances').click();
  for (const [theme, title] of Object.entries(THEMES)) {
    await page.theme.setTheme(title);
    await page.screenshot({ path: join(FOLDER, `bar-${theme}.png`) });
  }
  await page.setViewportSize({ width: 700, height: 900 });
  await page.screenshot({ path: join(FOLDER, 'bar-narrow.png') });
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

test('the picture of the docs', async ({ page, tmpPath }) => {
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
  await expect(reports(page).locator('details').last()).toContainText(
    'Details',
    { timeout: RUN_TIMEOUT_MS }
  );
  await page.screenshot({ path: join(FOLDER, 'panel.png') });
});

test('the animation of the README: Insert, Verify, report', async ({
  page,
  tmpPath
}) => {
  await page.setViewportSize({ width: 1000, height: 620 });
  await openNotebook(page, tmpPath, [code('')]);
  await page.theme.setTheme(THEMES.light);
  await page.sidebar.close('left');
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  const frames: IFrame[] = [];
  const stand = async (ms: number) => {
    frames.push({ png: await page.screenshot(), ms });
  };
  const press = async (name: string) => {
    const button = panel.getByRole('button', { name, exact: true });
    await button.scrollIntoViewIfNeeded();
    await stand(900);
    await pointTo(page, button);
    await stand(1000);
    await button.click();
  };

  await press('Insert optimized LeakyReLU');
  await expect
    .poll(async () => (await cells(page))[0]?.source)
    .toContain('class ModelNew');
  await expect(page.locator('.jp-InputPlaceholder')).toBeVisible();
  await stand(1500);
  await press('Check LeakyReLU on CPU');
  const said = verdict(reports(page));
  await expect(said).toBeVisible({ timeout: RUN_TIMEOUT_MS });
  await page.evaluate(() => document.getElementById('pointer')?.remove());
  // The run is shown faster than it is: a picture for each thing that it says but its time, and at most twelve.
  const ran = frames.length;
  for (let shown = ''; !/^Correct/.test(await said.innerText());) {
    const words = (await reports(page).innerText()).replace(TIME, '');
    if (words !== shown && frames.length < ran + 12) {
      await stand(300);
    }
    shown = words;
    await page.waitForTimeout(250);
  }
  await expect(reports(page).locator('footer')).toContainText('report version');
  await stand(5000);

  writeFileSync(
    join(FOLDER, 'first-report.webp'),
    await animated(page.context(), frames)
  );
});

/** How long a run goes on, as it says. */
const TIME = /[\d.]+ (ms|s|min)\b/g;

/** Draws a pointer in the middle of an element: screenshots have none. */
async function pointTo(page: Page, element: Locator): Promise<void> {
  const box = (await element.boundingBox())!;
  await page.evaluate(
    ({ x, y }) => {
      document.getElementById('pointer')?.remove();
      const svg =
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="28">' +
        '<path d="M1 1v22l5-5 4 9 4-2-4-8h7z" fill="#000" stroke="#fff" stroke-width="1.5"/></svg>';
      const pointer = document.createElement('img');
      pointer.id = 'pointer';
      pointer.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      pointer.style.cssText = `position: fixed; left: ${x}px; top: ${y}px; z-index: 99999; pointer-events: none`;
      document.body.append(pointer);
    },
    { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  );
}
