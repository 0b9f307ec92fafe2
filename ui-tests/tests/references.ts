/**
 * A picture of each state of the report and of the panel, in three themes below
 * each other, as it was when somebody last looked: `make references` compares.
 */

import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Locator } from '@playwright/test';
import type { ICatalogue } from '../../src/tokens';
import { expectAccessible } from './accessible';
import {
  code,
  expect,
  kernelIs,
  open,
  openNotebook,
  openPanel,
  type Page,
  reportFixture,
  reportOutput,
  reportText,
  reports,
  REPORT_MIME,
  runCell,
  STATES,
  test,
  upload
} from './gate';
import { sheetOf } from './sheet';

const THEMES = [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
];
const WIDTHS_PX = [480, 900, 1400];

/** The width that Lab gives a sidebar at first, and a comfortable one. */
const PANEL_WIDTHS_PX = [250, 340];

test.use({ timezoneId: 'UTC', viewport: { width: 1900, height: 4000 } });

test('each state of a report, as it is at first', async ({ page, tmpPath }) => {
  test.setTimeout(1_200_000);
  await openStates(page, tmpPath, STATES);
  await compareReports(page);
});

async function openStates(
  page: Page,
  folder: string,
  states: string[]
): Promise<void> {
  await openNotebook(
    page,
    folder,
    states.map(state =>
      code('', [reportOutput(state, { 'text/plain': reportText(state) })])
    )
  );
  await expect(reports(page)).toHaveCount(states.length);
}

async function compareReports(page: Page): Promise<void> {
  for (const width of WIDTHS_PX) {
    // Lab itself gives what the window leaves.
    await page.addStyleTag({
      content: `.jp-KernelReport { width: ${width}px; }`
    });
    // Each begins and ends at a whole pixel, whatever stands above it.
    await reports(page).evaluateAll(all =>
      all.forEach(report => {
        report.style.height = '';
        const { height } = report.getBoundingClientRect();
        report.style.height = `${Math.ceil(height)}px`;
      })
    );
    const pictures = await inEachTheme(page, async () => {
      const all: Buffer[] = [];
      for (const [n] of STATES.entries()) {
        all.push(await reports(page).nth(n).screenshot());
      }
      return all;
    });
    for (const [n, state] of STATES.entries()) {
      const sheet = await sheetOf(
        page,
        pictures.map(themed => themed[n]!)
      );
      expect.soft(sheet).toMatchSnapshot([`report/${state}-${width}.png`]);
    }
  }
}

async function inEachTheme<Result>(
  page: Page,
  draw: () => Promise<Result>
): Promise<Result[]> {
  const drawn: Result[] = [];
  for (const theme of THEMES) {
    await page.theme.setTheme(theme);
    drawn.push(await draw());
  }
  return drawn;
}

/** Its whole length, whatever the window's. */
async function comparePanel(
  page: Page,
  panel: Locator,
  state: string
): Promise<void> {
  await expectAccessible(page, '#kernelgate-panel');
  for (const width of PANEL_WIDTHS_PX) {
    await page.sidebar.setWidth(width, 'right');
    await page.mouse.move(0, 0);
    await page.addStyleTag({
      content: `#kernelgate-panel {
        contain: none !important;
        width: ${width}px !important;
        min-width: 0 !important;
        height: fit-content !important;
      }`
    });
    expect.soft(await betweenPixels(panel)).toEqual([]);
    const pictures = await inEachTheme(page, () =>
      // How long a kernel took to answer.
      panel.screenshot({ mask: [panel.getByText(/^[\d,]+ ms$/)] })
    );
    expect
      .soft(await sheetOf(page, pictures))
      .toMatchSnapshot([`panel/${state}-${width}.png`]);
  }
}

/** Rows that start between two pixels. Where they are drawn depends on the element around them. */
async function betweenPixels(panel: Locator): Promise<string[]> {
  const rows = panel.locator('details, li, p, dt, dd');
  return rows.evaluateAll(all =>
    all
      .filter(row => row.getBoundingClientRect().top % 1 !== 0)
      .map(row => row.textContent ?? '')
  );
}

/** What a kernel answers is replaced in its own process: these need no such machine. */
const ANSWERS = {
  gpu: `from kernelgate.machine import Gpu
probe.gpus = lambda: [Gpu("NVIDIA H200", 150754820096, 20816330752, "580.65.06")]`,
  'no-compiler': `probe.gpus = lambda: []
probe.supported = lambda: "There is no g++ 11 or newer, which compiles programs for the emulation"`,
  'no-torch': 'probe.version_of = lambda package: None',
  'too-old': 'probe.PROTOCOL = 0',
  'too-new': 'probe.PROTOCOL = 9',
  'no-answer': 'probe.Answer = dict',
  gateway: 'probe.os.environ["KERNEL_GATEWAY"] = "1"'
};

for (const [state, change] of Object.entries(ANSWERS)) {
  test(`the panel of a kernel: ${state}`, async ({ page, tmpPath }) => {
    await openNotebook(page, tmpPath, [
      code(`import kernelgate.notebook.probe as probe\n${change}`)
    ]);
    await runCell(page, 0);
    await kernelIs(page, 'idle');
    await expect(page.locator('.jp-InputPrompt').first()).toHaveText('[1]:');
    const panel = await openPanel(page);
    await expect(panel).not.toContainText('Reading the device');

    await comparePanel(page, panel, state);
  });
}

test('the panel without a GPU', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [code('')]);
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');

  await comparePanel(page, panel, 'no-gpu');
});

test('the panel with twenty operators, a filter, and a program before it is inserted', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('')]);
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  await panel.getByText('Program', { exact: true }).first().click();
  await expect(panel.locator('pre').first()).toContainText('ModelNew');
  await comparePanel(page, panel, 'program');
  await panel.getByText('Program', { exact: true }).first().click();
  await addOperators(page, 17);
  await expect(panel.locator('.jp-KernelPanel-cards li')).toHaveCount(20);
  await comparePanel(page, panel, 'many-operators');
  await panel.getByRole('searchbox').fill('norm 1');
  await expect(panel.locator('.jp-KernelPanel-cards li')).toHaveCount(2);

  await comparePanel(page, panel, 'filtered');
});

/** As other extensions do, by the token. */
async function addOperators(page: Page, count: number): Promise<void> {
  await page.evaluate(async number => {
    type Registry = { _services: Map<{ name: string }, string> };
    const { pluginRegistry } = window.jupyterapp as never as {
      pluginRegistry: Registry & {
        resolveRequiredService(token: unknown): Promise<ICatalogue>;
      };
    };
    const token = [...pluginRegistry._services.keys()].find(
      ({ name }) => name === 'jupyterlab-kernelgate:ICatalogue'
    );
    const catalogue = await pluginRegistry.resolveRequiredService(token);
    for (let n = 1; n <= number; n++) {
      const kind = ['Norm', 'Sum', 'Cost', 'Pool'][n % 4]!;
      catalogue.add({
        ...catalogue.operators[0]!,
        id: `${kind}_${n}`,
        name: `${kind} ${n}`,
        replaces: `nn.${kind}${n}d`,
        summary: 'One of many.',
        group: n === number ? undefined : `${kind}s`,
        figure: null
      });
    }
  }, count);
}

test('the panel with runs, and two compared', async ({ page, tmpPath }) => {
  await openStates(page, tmpPath, [
    'profile',
    'wrong-result',
    'slower',
    'build-failure',
    'graded',
    'timed-out',
    'fault-beyond',
    'cancelled'
  ]);
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  // What is above them has pictures of its own.
  for (const name of ['Device', 'Catalogue']) {
    await panel.locator('summary', { hasText: name }).click();
  }
  await comparePanel(page, panel, 'runs');
  for (const name of ['Compare run 1', 'Compare run 3']) {
    await panel.getByRole('checkbox', { name }).check();
  }
  await expect(panel.getByRole('region', { name: 'Comparison' })).toBeVisible();

  await comparePanel(page, panel, 'compared');
});

test('the panel while a run goes on', async ({ page, tmpPath }) => {
  const report = JSON.stringify(JSON.stringify(reportFixture('running')));
  await openNotebook(page, tmpPath, [
    code(`import json, time
from IPython.display import display
display({"${REPORT_MIME}": json.loads(${report})}, raw=True)
time.sleep(600)`)
  ]);
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  await runCell(page, 0);
  await expect(panel.getByRole('progressbar')).toBeVisible();

  await comparePanel(page, panel, 'running');
});

test('the panel while a cell runs', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [code('import time; time.sleep(600)')]);
  await runCell(page, 0);
  await kernelIs(page, 'busy');
  const panel = await openPanel(page);
  await expect(panel).toContainText('Waiting for the running cell');

  await comparePanel(page, panel, 'busy');
});

test('the panel of a kernel that restarted, and of one that died', async ({
  page,
  tmpPath
}) => {
  await openStates(page, tmpPath, ['pass']);
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  await page.evaluate(async () => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    await front.sessionContext.restartKernel();
  });
  await expect(panel).toContainText('The kernel restarted');
  await expect(panel).toContainText('No GPU in this kernel');
  await comparePanel(page, panel, 'restarted');
  // What Lab does where its server has given a kernel up, after five that died.
  await page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    const kernel = front.sessionContext.session?.kernel as never as {
      _updateStatus(status: string): void;
    };
    kernel._updateStatus('dead');
  });
  await expect(panel).toContainText('The kernel died');

  await comparePanel(page, panel, 'dead');
});

test('the panel where the server of the kernel does not answer', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('import time; time.sleep(600)')]);
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  await page.route('**/api/kernel*/**', route => route.abort());
  await page.route('**/api/kernel*', route => route.abort());
  await runCell(page, 0);
  await expect(panel).toContainText('The kernel’s server does not answer');

  await comparePanel(page, panel, 'no-server');
});

for (const [state, kernel, words] of [
  ['missing', 'without-kernelgate', 'missing in this kernel'],
  ['another-language', 'another-language', 'This kernel runs R']
] as const) {
  test(`the panel of a kernel: ${state}`, async ({ page, tmpPath }) => {
    await openNotebook(page, tmpPath, [code('')], kernel);
    const panel = await openPanel(page);
    await expect(panel).toContainText(words);

    await comparePanel(page, panel, state);
  });
}

test('the panel while a kernel starts', async ({ page, tmpPath }) => {
  const path = `${tmpPath}/starting.ipynb`;
  await upload(page, path, {
    cells: [code('x = 1')],
    metadata: { kernelspec: { name: 'never-ready', display_name: 'slow' } },
    nbformat: 4,
    nbformat_minor: 5
  });
  await open(page, path);
  const panel = await openPanel(page);
  await expect(panel).toContainText('The kernel is starting');

  await comparePanel(page, panel, 'starting');
});

test('the panel without a kernel, and without a notebook', async ({
  page,
  tmpPath
}) => {
  const panel = await openPanel(page);
  await expect(panel).toContainText('Open a notebook to start');
  await comparePanel(page, panel, 'no-notebook');
  const path = `${tmpPath}/none.ipynb`;
  await upload(page, path, {
    cells: [code('x = 1')],
    metadata: { kernelspec: { name: 'nobody', display_name: 'nobody' } },
    nbformat: 4,
    nbformat_minor: 5
  });
  await open(page, path);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'No Kernel' }).click();
  await expect(panel).toContainText('This notebook has no kernel');

  await comparePanel(page, panel, 'no-kernel');
});
