/**
 * What the tests share: a notebook with a real kernel, the panel, reports.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import {
  expect,
  test as galata,
  IJupyterLabPageFixture,
  JupyterLabPage
} from '@jupyterlab/galata';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Locator, TestInfo } from '@playwright/test';
import type { IReport } from '../../src/model/types';

export { expect };

export type Page = IJupyterLabPageFixture;

export const REPORT_MIME = 'application/vnd.kernelgate.report+json';

/** A run compiles and checks in emulation: seconds, on a busy machine many. */
export const RUN_TIMEOUT_MS = 180_000;

/** What a report says while cases are checked: "Checking", and once the problem's own inputs passed, that too. */
export const CHECKING = /^Checking$|; checking others$/;

/** A run that goes on until the test says otherwise. */
export interface IHeld {
  /** A program that is right, and whose calls wait. */
  source: string;
  /** Lets its calls go on; those that follow do not wait. */
  letGo(): void;
  /** Has its calls wait again. */
  hold(): void;
}

/** A program of a test's own: what goes on in mid-run is no question of speed. */
export function heldProgram(info: TestInfo): IHeld {
  const file = info.outputPath('let-go');
  return {
    source: HELD_PROGRAM.replace('FILE', JSON.stringify(file)),
    letGo: () => writeFileSync(file, ''),
    hold: () => rmSync(file, { force: true })
  };
}

/** The first call is part of compiling. A single call may take a minute, and a check makes forty. */
const HELD_PROGRAM = `import os
import time
import torch.nn as nn
import torch.nn.functional as F

calls = 0

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        global calls
        calls += 1
        for _ in range(400):
            if calls == 1 or os.path.exists(FILE):
                break
            time.sleep(0.1)
        return F.leaky_relu(x, self.negative_slope)
`;

/** Right, and ends by itself. */
export const RIGHT_PROGRAM = `import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
`;

/** A cell of CUDA C++ with a slope that is not LeakyReLU's. */
export const SLOPE_0_011 = `%%leakyrelu_cuda
#include <torch/extension.h>

__global__ void leaky(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0.011f * x[i];
}

torch::Tensor leaky_relu(torch::Tensor x, double negative_slope) {
  auto y = torch::empty_like(x);
  int64_t n = x.numel();
  leaky<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
`;

declare global {
  interface Window {
    /** Exposed by the servers of the tests. */
    jupyterapp: JupyterFrontEnd;
  }
}

// Galata gives a page 15 s to start; a busy machine may take longer.
const { waitForCondition } = JupyterLabPage.prototype;
JupyterLabPage.prototype.waitForCondition = function (
  condition,
  timeout = 90_000
) {
  return waitForCondition.call(this, condition, timeout);
};

/** Galata's test with kernels as they are; none of them outlives its test. */
export const test = galata.extend({
  kernels: async ({ request, baseURL }, use) => {
    await use(null);
    await endAll(`${baseURL}/api/sessions`);
    await endAll(`${baseURL}/api/kernels`);

    async function endAll(url: string): Promise<void> {
      const running: { id: string }[] = await (await request.get(url)).json();
      for (const { id } of running) {
        await request.delete(`${url}/${id}`);
      }
    }
  },
  // Playwright demands the pattern, and no fixture is needed.
  // eslint-disable-next-line no-empty-pattern
  sessions: async ({}, use) => use(null),
  // Galata waits for the launcher, which a reload with open notebooks lacks.
  // eslint-disable-next-line no-empty-pattern
  waitForApplication: async ({}, use) =>
    use(page =>
      page.locator('#jupyterlab-splash').waitFor({ state: 'detached' })
    )
});

/** A cell of a notebook file. */
export type Cell = Record<string, unknown>;

export function code(source: string, outputs: unknown[] = []): Cell {
  return {
    cell_type: 'code',
    execution_count: null,
    metadata: {},
    source,
    outputs
  };
}

const FIXTURES = join(__dirname, '../../python/tests/fixtures/reports');

/** Every state of a report: the names of the fixtures of the Python tests. */
export const STATES = readdirSync(FIXTURES)
  .filter(name => name.endsWith('.json'))
  .map(name => name.slice(0, -'.json'.length));

/** A report of a run that ended elsewhere: a fixture of the Python tests. */
export function reportFixture(fixture: string): IReport {
  return JSON.parse(readFileSync(join(FIXTURES, `${fixture}.json`), 'utf-8'));
}

/** What the run printed where no report can be drawn: it can be copied. */
export function reportText(fixture: string): string {
  return readFileSync(join(FIXTURES, `${fixture}.txt`), 'utf-8');
}

/** The output of a run that ended elsewhere: a report, or the name of a fixture. */
export function reportOutput(
  report: string | object,
  fallbacks: Record<string, string> = {}
): unknown {
  const data = typeof report === 'string' ? reportFixture(report) : report;
  return {
    output_type: 'display_data',
    metadata: {},
    data: { [REPORT_MIME]: data, ...fallbacks }
  };
}

/** Uploads a notebook, opens it and waits until its kernel is idle. */
export async function openNotebook(
  page: Page,
  folder: string,
  cells: Cell[],
  kernel = 'python3',
  name = 'program'
): Promise<string> {
  const path = `${folder}/${name}.ipynb`;
  await upload(page, path, {
    cells: cells.map((cell, n) => ({ id: `cell-${n}`, ...cell })),
    metadata: { kernelspec: { name: kernel, display_name: kernel } },
    nbformat: 4,
    nbformat_minor: 5
  });
  await open(page, path);
  await kernelIs(page, 'idle');
  return path;
}

export async function upload(
  page: Page,
  path: string,
  notebook: unknown
): Promise<void> {
  await page.contents.uploadContent(JSON.stringify(notebook), 'text', path);
}

/** Opens a notebook, and waits until it is the one in front. */
export async function open(page: Page, path: string): Promise<void> {
  await page.evaluate(async path => {
    await window.jupyterapp.restored;
    await window.jupyterapp.commands.execute('docmanager:open', { path });
  }, path);
  await page.waitForFunction(path => {
    const front = window.jupyterapp.shell.currentWidget;
    const { context } = (front ?? {}) as Partial<NotebookPanel>;
    return context?.path === path && context.isReady;
  }, path);
}

/** The cells of the notebook in front, as they would be saved. */
export function cells(page: Page): Promise<Cell[]> {
  return page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    return front.content.model?.sharedModel.toJSON().cells as Cell[];
  });
}

/** Types into a cell at once: key by key, the editor would indent. What came with the file is a person's then. */
export function setSource(
  page: Page,
  index: number,
  source: string
): Promise<void> {
  return page.evaluate(
    ({ index, source }) => {
      const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
      front.content.widgets[index]?.model.sharedModel.setSource(source);
    },
    { index, source }
  );
}

/** Trusts the notebook in front, as its author's page does. */
export async function trust(page: Page): Promise<void> {
  await page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    for (const cell of front.content.model?.cells ?? []) {
      cell.trusted = true;
    }
  });
}

/** Waits for the state of the kernel of the notebook in front. */
export async function kernelIs(page: Page, state: string): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(() => {
        const front = window.jupyterapp.shell.currentWidget;
        return (front as NotebookPanel | null)?.sessionContext
          ?.kernelDisplayStatus;
      })
    )
    .toBe(state);
}

/** Makes a cell the active one, as a press beside it does. */
export async function selectCell(page: Page, index: number): Promise<void> {
  const cell = page.locator(
    `.jp-Notebook:visible .jp-Cell[data-windowed-list-index="${index}"]`
  );
  await cell.click({ position: { x: 15, y: 5 } });
  await expect(cell).toHaveClass(/jp-mod-active/);
}

/** More than there are stops between a cell and what a story looks for. */
const MOST_TABS = 40;

/** Goes to an element by Tab alone, from wherever the keyboard is. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const isReached = () =>
    target.evaluate(node => node === document.activeElement);
  for (let n = 0; n < MOST_TABS && !(await isReached()); n++) {
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

/** Verifies the program of a cell against LeakyReLU, by the shortcut and Enter. */
export async function verifyByKeyboard(
  page: Page,
  index: number
): Promise<void> {
  await selectCell(page, index);
  await page.keyboard.press('Control+Alt+v');
  // A program that nobody inserted may be any operator's: none is proposed.
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Verify' })).toBeVisible();
  await expect(
    dialog.getByRole('textbox', { name: /^Reference/ })
  ).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('l');
  await expect(dialog.locator(':focus')).toHaveValue('leakyrelu');
  await page.keyboard.press('Enter');
}

/** Runs a cell as Shift+Enter does; a report may take its time. */
export async function runCell(page: Page, index: number): Promise<void> {
  await selectCell(page, index);
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('notebook:run-cell');
  });
}

/** The notebook as it is saved now. */
export async function savedNotebook(
  page: Page,
  path: string
): Promise<{ cells: Cell[] }> {
  await page.notebook.save();
  const base = await page.getBaseUrl();
  const reply = await page.request.get(`${base}api/contents/${path}`);
  return (await reply.json()).content;
}

/** The drawn reports of the notebook in front, from the top. */
export function reports(page: Page): Locator {
  return page.locator('.jp-Notebook:visible').getByRole('article');
}

/** The first output of a code cell of the notebook in front. */
export function cellOutput(page: Page, index: number): Locator {
  return page
    .locator('.jp-Notebook:visible .jp-CodeCell')
    .nth(index)
    .locator('.jp-OutputArea-output')
    .first();
}

/** The verdict of a report, or what goes on. */
export function verdict(report: Locator): Locator {
  return report.getByRole('status');
}

/** Opens the side panel. */
export async function openPanel(page: Page): Promise<Locator> {
  await page.sidebar.getTabLocator('kernelgate-panel').waitFor();
  await page.sidebar.openTab('kernelgate-panel');
  return page.getByRole('region', { name: 'KernelGate' });
}
