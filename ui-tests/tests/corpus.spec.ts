import { hostileOutputs, TRACE, unwritableOutputs } from './corpus';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import type { NotebookPanel } from '@jupyterlab/notebook';
import {
  code,
  expect,
  openNotebook,
  openPanel,
  Page,
  reports,
  selectCell,
  test,
  trust
} from './gate';

/** Of one cell: all of them are drawn when it comes into sight. */
const OUTPUTS = 20;

test('nothing of a hostile report runs, is requested, changes a cell or stops the page', async ({
  page,
  tmpPath,
  baseURL
}) => {
  const strangers: string[] = [];
  page.on('request', request => {
    if (!/^(data|blob):/.test(request.url())) {
      strangers.push(request.url());
    }
  });
  const outputs = hostileOutputs();
  expect(outputs.length).toBeGreaterThanOrEqual(60);
  const unwritable = unwritableOutputs();
  const drawn = Array.from(
    { length: Math.ceil(outputs.length / OUTPUTS) },
    (_, n) => code('', outputs.slice(n * OUTPUTS, (n + 1) * OUTPUTS))
  );
  await openPanel(page);
  await openNotebook(page, tmpPath, [...drawn, code('')]);
  await addOutputs(page, drawn.length, unwritable);
  const counts = [
    ...drawn.map(cell => (cell.outputs as []).length),
    unwritable.length
  ];
  const before = await sources(page);
  await watchTasks(page);

  for (const isTrusted of [false, true]) {
    if (isTrusted) {
      await trust(page);
    }
    for (let cell = 0; cell < counts.length; cell++) {
      await selectCell(page, cell);
      const shown = page
        .locator('.jp-Notebook:visible .jp-CodeCell')
        .nth(cell)
        .locator('.jp-RenderedKernelReport');
      await expect(shown).toHaveCount(counts[cell] ?? 0);
      await expect(shown.filter({ hasNotText: /\S/ })).toHaveCount(0);
    }
    await expect(reports(page).locator(FOREIGN)).toHaveCount(0);
  }

  expect(await page.evaluate(name => name in window, TRACE)).toBe(false);
  expect(await page.evaluate(() => Object.keys(Object.prototype))).toEqual([]);
  expect(strangers.filter(url => !url.startsWith(baseURL!))).toEqual([]);
  expect(await sources(page)).toEqual(before);
  // Not asserted: another program may have had the machine.
  console.log(`longest task: ${await longestTask(page)} ms`);
});

/** What only a text of a report could have put there. */
const FOREIGN = 'img, script, iframe, style, link, form, a';

declare global {
  interface Window {
    tasks: number[];
  }
}

async function watchTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.tasks = [0];
    new PerformanceObserver(list => {
      window.tasks.push(...list.getEntries().map(one => one.duration));
    }).observe({ type: 'longtask' });
  });
}

function longestTask(page: Page): Promise<number> {
  return page.evaluate(() => Math.round(Math.max(...window.tasks)));
}

/** Without the outputs: they nest too deep to leave the page. */
function sources(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    return front.content.widgets.map(cell =>
      cell.model.sharedModel.getSource()
    );
  });
}

/** Adds outputs to a cell, as an extension may. */
async function addOutputs(
  page: Page,
  index: number,
  outputs: unknown[]
): Promise<void> {
  await page.evaluate(
    ({ index, outputs }) => {
      const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
      const cell = front.content.model?.cells.get(index) as ICodeCellModel;
      outputs.forEach(output => cell.outputs.add(output as IOutput));
    },
    { index, outputs }
  );
}
