/**
 * Figures of the screens, measured in a page: sizes, times, requests. Nothing is
 * asserted of a time; `bench/screens.py` writes the figures beside their aims.
 */

import type { NotebookPanel } from '@jupyterlab/notebook';
import type { WebSocket } from '@playwright/test';
import { gzipSync } from 'zlib';
import {
  cells,
  code,
  expect,
  open,
  openNotebook,
  openPanel,
  type Page,
  REPORT_MIME,
  reportFixture,
  reportOutput,
  reports,
  runCell,
  selectCell,
  test
} from './gate';
import { note } from './figures';

const REPEATS = 25;

test('sizes of what a page loads', async ({ page, tmpPath }) => {
  const known = new Map<string, number>();
  const loaded = async (name: string) => {
    const urls = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(entry => entry.name)
        .filter(url => url.includes('/extensions/jupyterlab-kernelgate/'))
    );
    const fresh = [...new Set(urls)].filter(url => !known.has(url));
    for (const url of fresh) {
      const body = await (await page.request.get(url)).body();
      known.set(url, gzipSync(body, { level: 9 }).length);
    }
    const bytes = fresh.map(url => known.get(url) ?? 0);
    note(name, {
      bytes: bytes.reduce((sum, one) => sum + one, 0),
      files: bytes.length
    });
  };

  await loaded('first load');
  await openNotebook(page, tmpPath, [code('')]);
  await loaded('with the first notebook');
  await openNotebook(
    page,
    tmpPath,
    [code('', [reportOutput('profile')])],
    'python3',
    'report'
  );
  await expect(reports(page)).toHaveCount(1);
  await loaded('renderer, with the first report');
  await openPanel(page);
  await loaded('panel, when it is shown');
});

/** A report of about that many characters: each list as long as it takes. */
function longReport(characters: number): object {
  const report = reportFixture('profile');
  const lists: [unknown[], number][] = [
    [report.timing?.rows ?? [], 40],
    [report.profile?.timeline ?? [], 600],
    [report.profile?.kernels ?? [], 64],
    [report.cases, 60]
  ];
  const first = lists.map(([list]) => [...list]);
  for (let n = 0; JSON.stringify(report).length < characters; n++) {
    lists.forEach(([list, most], which) => {
      const old = first[which] ?? [];
      if (list.length < most && old.length > 0) {
        list.push(old[n % old.length]);
      }
    });
    if (n > 600) {
      throw new Error('the lists of the report are as long as they can be');
    }
  }
  return report;
}

test('time to draw a report', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [code('', [reportOutput('pass')])]);
  await expect(reports(page)).toHaveCount(1);
  const drawn = {
    'a passing report': reportFixture('pass'),
    'a benchmark': reportFixture('benchmark'),
    'a profile': reportFixture('profile'),
    'a report of 200 kB': longReport(200_000)
  };
  for (const [name, report] of Object.entries(drawn)) {
    const { times, nodes } = await page.evaluate(
      async ({ mime, report, repeats }) => {
        const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
        const { rendermime } = front.content;
        const times: { script: number; layout: number; whole: number }[] = [];
        let nodes = 0;
        for (let n = 0; n < repeats; n++) {
          const renderer = rendermime.createRenderer(mime);
          renderer.node.style.width = '900px';
          document.body.append(renderer.node);
          const model = rendermime.createModel({ data: { [mime]: report } });
          await new Promise(requestAnimationFrame);
          const began = performance.now();
          await renderer.renderModel(model);
          const rendered = performance.now();
          void renderer.node.offsetHeight;
          const laidOut = performance.now();
          // What closed sections hold follows in slices.
          while (renderer.node.querySelector('details[aria-busy="true"]')) {
            await new Promise(resolve => setTimeout(resolve));
          }
          times.push({
            script: rendered - began,
            layout: laidOut - rendered,
            whole: performance.now() - began
          });
          nodes = renderer.node.querySelectorAll('*').length;
          if (!renderer.node.querySelector('[role="status"]')) {
            throw new Error('no report was drawn');
          }
          renderer.node.remove();
          renderer.dispose();
        }
        return { times, nodes };
      },
      { mime: REPORT_MIME, report: report as never, repeats: REPEATS }
    );
    note(`draw ${name}`, {
      characters: JSON.stringify(report).length,
      nodes,
      first_ms: times[0]?.script,
      script_ms: times.map(({ script }) => script),
      layout_ms: times.map(({ layout }) => layout),
      whole_ms: times.map(({ whole }) => whole)
    });
  }
});

declare global {
  interface Window {
    longTasks: number[];
  }
}

/** The tasks of over 50 ms since the last call. */
function longTasks(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const tasks = window.longTasks;
    window.longTasks = [];
    if (!tasks) {
      new PerformanceObserver(list =>
        window.longTasks.push(...list.getEntries().map(one => one.duration))
      ).observe({ type: 'longtask' });
    }
    return tasks ?? [];
  });
}

/** Waits until Lab has put every cell on the page, which goes on for a while after it opened, and lies still. */
async function pageLiesStill(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
      return front.content.widgets.every(({ isAttached }) => isAttached);
    },
    undefined,
    { timeout: 180_000 }
  );
  for (let n = 0; n < 30; n++) {
    await longTasks(page);
    await page.waitForTimeout(2000);
    if ((await longTasks(page)).length === 0) {
      return;
    }
  }
}

/** Changes the first report of the last cell; of each change, the longest frame after it in ms. */
function longestFrames(page: Page, repeats: number): Promise<number[]> {
  return page.evaluate(
    async ({ repeats, mime }) => {
      const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
      const cell = front.content.widgets.at(-1);
      const { outputs } = cell?.model as never as {
        outputs: {
          get(n: number): {
            data: Record<string, object>;
            setData(options: object): void;
          };
        };
      };
      const output = outputs.get(0);
      const frame = () => new Promise(requestAnimationFrame);
      const longest: number[] = [];
      for (let n = 0; n < repeats; n++) {
        // A frame that comes late was kept waiting by the update.
        let last = performance.now();
        let gap = 0;
        output.setData({
          data: {
            ...output.data,
            [mime]: { ...output.data[mime], elapsed_s: n + 0.5 }
          }
        });
        const until = last + 400;
        while (last < until) {
          await frame();
          gap = Math.max(gap, performance.now() - last);
          last = performance.now();
        }
        longest.push(gap);
      }
      return longest;
    },
    { repeats, mime: REPORT_MIME }
  );
}

test('the panel with many runs', async ({ page, tmpPath }) => {
  const PER_CELL = 20;
  await longTasks(page);
  const panel = await openPanel(page);
  for (const count of [20, 1000]) {
    const outputs = Array.from({ length: count }, (_, n) =>
      reportOutput({
        ...reportFixture('pass'),
        run: `kg-${n}`,
        created: new Date(1.7e12 + n * 1000).toISOString()
      })
    );
    const full = Array.from({ length: count / PER_CELL }, (_, n) =>
      code('', outputs.slice(n * PER_CELL, (n + 1) * PER_CELL))
    );
    const began = Date.now();
    await openNotebook(page, tmpPath, full, 'python3', `runs-${count}`);
    await expect(panel.getByText(String(count), { exact: true })).toBeVisible();
    const opened_s = (Date.now() - began) / 1000;
    await page.waitForTimeout(1000);
    const opening = await longTasks(page);
    await pageLiesStill(page);
    const updates = await longestFrames(page, 9);
    note(`${count} runs`, {
      opened_s,
      opening_long_tasks_ms: opening,
      update_longest_frame_ms: updates,
      update_long_tasks_ms: await longTasks(page)
    });
  }
});

test('requests while the panel is hidden', async ({ page, tmpPath }) => {
  const sent: string[] = [];
  page.on('websocket', (socket: WebSocket) =>
    socket.on('framesent', ({ payload }) => {
      const text = payload.toString();
      if (/execute_request|comm_open|inspect_request/.test(text)) {
        sent.push(text);
      }
    })
  );
  const first = await openNotebook(page, tmpPath, [
    code('1 + 1'),
    code('', [reportOutput('pass')])
  ]);
  await openNotebook(page, tmpPath, [code('2 + 2')], 'python3', 'second');
  await open(page, first);
  await selectCell(page, 0);
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('kernelgate:insert', {
      operator: 'leakyrelu'
    })
  );
  await page.waitForTimeout(3000);
  const before = sent.length;
  await runCell(page, 0);
  await expect
    .poll(async () => (await cells(page))[0]?.execution_count)
    .toBe(1);
  note('requests while the panel is hidden', {
    ours: before,
    after_one_cell_was_run: sent.length
  });
  expect(sent.length).toBeGreaterThan(0);
});

declare global {
  interface Window {
    inserted: { model: number; painted: number }[];
  }
}

/** How long a quick person's pointer is on a button before it presses. */
const REST_MS = 100;

/** The times from each press of the toolbar's Insert to the cell in the model and to the page painted. */
async function insertions(
  page: Page,
  folder: string,
  { presses, rest }: { presses: number; rest: number }
): Promise<Window['inserted']> {
  await openNotebook(page, folder, [code('1 + 1')]);
  await page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    let pressed = 0;
    window.inserted = [];
    document.addEventListener(
      'mousedown',
      () => (pressed = performance.now()),
      true
    );
    front.content.model?.cells.changed.connect(() => {
      const model = performance.now() - pressed;
      // The second frame begins when the first is painted.
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          window.inserted.push({ model, painted: performance.now() - pressed })
        )
      );
    });
  });
  if (rest > 0) {
    await pageLiesStill(page);
  }
  const button = page
    .getByRole('button', { name: 'Insert optimized LeakyReLU' })
    .first();
  for (let n = 1; n <= presses; n++) {
    // The browser's pointer goes there and presses: the page's scripts get the events that a mouse makes.
    await button.hover();
    await page.waitForTimeout(rest);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForFunction(n => window.inserted.length >= n, n);
    await page.mouse.move(0, 0);
  }
  return page.evaluate(() => window.inserted);
}

// The first press of a page, as a person does it: the page has come to rest, and the pointer rests on the button.
test('insert to cell in place', async ({ page, tmpPath }) => {
  const times = await insertions(page, tmpPath, { presses: 10, rest: REST_MS });
  note('insert', {
    first_model_ms: times[0]?.model,
    first_painted_ms: times[0]?.painted,
    model_ms: times.slice(1).map(({ model }) => model),
    painted_ms: times.slice(1).map(({ painted }) => painted)
  });
});

// The worst case: while Lab still starts, a pointer that presses as soon as it comes.
test('insert to cell in place, at once', async ({ page, tmpPath }) => {
  const times = await insertions(page, tmpPath, { presses: 1, rest: 0 });
  note('insert, pressed at once', {
    first_model_ms: times[0]?.model,
    first_painted_ms: times[0]?.painted
  });
});
