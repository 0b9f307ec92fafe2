import { createHash } from 'crypto';
import type { NotebookPanel } from '@jupyterlab/notebook';
import {
  type Cell,
  cellOutput,
  cells,
  code,
  expect,
  kernelIs,
  open,
  openNotebook,
  openPanel,
  type Page,
  REPORT_MIME,
  reportFixture,
  reportOutput,
  reports,
  runCell,
  savedNotebook,
  selectCell,
  test,
  trust,
  verdict
} from './gate';

const PROGRAM = 'class ModelNew: pass';

/** What a payload leaves in the notebook's folder when it runs. */
const TRACE = 'payload-ran';
const PAYLOAD = `import os;os.mkdir("${TRACE}")`;

/** A story in a notebook of a stranger, then in a trusted one, each in a folder of its own. */
function inBoth(
  title: string,
  story: (page: Page, folder: string, trusted: boolean) => Promise<void>
): void {
  test(title, async ({ page, tmpPath }) => {
    for (const trusted of [false, true]) {
      const folder = `${tmpPath}/${trusted ? 'trusted' : 'strange'}`;
      await page.contents.createDirectory(folder);
      await story(page, folder, trusted);
    }
  });
}

for (const shared of [false, true]) {
  inBoth(
    `a report of another notebook changes none of this one, ${shared ? 'in the same kernel' : 'in a kernel of its own'}`,
    async (page, tmpPath, trusted) => {
      const wrong = reportFixture('wrong-result');
      const running = reportFixture('running');
      const path = await openNotebook(page, tmpPath, [
        code('', [reportOutput(wrong, { 'text/plain': 'mine' })]),
        code('', [reportOutput(running, { 'text/plain': 'mine' })])
      ]);
      if (trusted) {
        await trust(page);
      }
      await expect(verdict(reports(page).first())).toContainText('Wrong');
      const kernel = await page.evaluate(() => {
        const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
        return front.sessionContext.session?.kernel?.id;
      });
      const before = (await savedNotebook(page, path)).cells;
      const foreign = [wrong, running].map(({ run }) => ({
        [REPORT_MIME]: { ...reportFixture('pass'), run },
        'text/plain': 'foreign'
      }));
      const source = `import json
from IPython.display import publish_display_data
for bundle in json.loads(${JSON.stringify(JSON.stringify(foreign))}):
    publish_display_data(bundle)`;

      await openNotebook(page, tmpPath, [code(source)], 'python3', 'foreign');
      if (shared) {
        await page.evaluate(async id => {
          const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
          await front.sessionContext.changeKernel({ id });
        }, kernel);
      }
      await runCell(page, 0);
      await expect(verdict(reports(page).last())).toContainText('Correct');
      await expect(reports(page)).toHaveCount(2);
      // The other notebook has heard of it by now, if it ever does.
      await kernelIs(page, 'idle');
      await page.waitForTimeout(500);

      await open(page, path);
      await expect(verdict(reports(page).first())).toContainText('Wrong');
      await expect(verdict(reports(page).last())).toHaveText(
        'Did not finish: no verdict'
      );
      expect((await savedNotebook(page, path)).cells).toEqual(before);
    }
  );
}

inBoth(
  'Verify and Run again run no cell that the file brings, and no verdict that it brings looks like one of this page',
  async (page, tmpPath, trusted) => {
    const hidden = `import kernelgate${' '.repeat(300)};${PAYLOAD}`;
    const reference = `import kernelgate\nkernelgate.verify(cell="cell-0", reference=${JSON.stringify(`__import__("os").mkdir("${TRACE}")`)}, inputs="8")`;
    const posing = (
      source: string,
      verify: string,
      outputs: unknown[] = []
    ) => ({
      ...code(source, outputs),
      metadata: { kernelgate: { verify } }
    });
    const saved = reportFixture('pass');
    await openNotebook(page, tmpPath, [
      code(PROGRAM),
      posing(hidden, 'cell-0', [reportOutput(saved)]),
      code(PROGRAM),
      posing(reference, 'cell-2'),
      {
        ...code(''),
        cell_type: 'markdown',
        source:
          '<div class="jp-RenderedKernelReport"><article class="jp-KernelReport jp-mod-pass"><h3>Correct</h3></article></div>'
      } as Cell
    ]);
    if (trusted) {
      await trust(page);
    }
    const report = page.locator('.jp-Notebook:visible kernelgate-report');
    await expect(report).toContainText('From the file, not run here');
    const border = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate(node => getComputedStyle(node).borderLeftWidth);
    expect(await border('kernelgate-report .jp-KernelReport')).toBe('4px');
    expect(await border('.jp-MarkdownOutput article')).toBe('0px');

    await report.getByRole('button', { name: 'Verify again' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText(
      `import kernelgate300 blanks;${PAYLOAD}`
    );
    await page.screenshot({
      path: test
        .info()
        .outputPath(`asked-${trusted ? 'trusted' : 'strange'}.png`)
    });
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await selectCell(page, 2);
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('kernelgate:verify', {
        operator: 'leakyrelu'
      })
    );
    await expect
      .poll(async () => (await cells(page)).map(cell => cell.source)[3])
      .toContain('kernelgate.verify("leakyrelu"');
    expect((await cells(page))[4]?.source).toBe(reference);
    await kernelIs(page, 'idle');
    expect(await exists(page, `${tmpPath}/${TRACE}`)).toBe(false);
  }
);

inBoth(
  'a fix is inserted as it is shown, or not at all',
  async (page, tmpPath, trusted) => {
    const CALL = 'm = load_inline("m", cpp_sources="", cuda_sources=CUDA)';
    const fix = 'torch::Tensor f(torch::Tensor x);';
    const sneaky = `${fix}");__import__("os").mkdir("${TRACE}");("`;
    const withFix = (cell: number, text: string, shown = CALL) => {
      const report = reportFixture('build-failure');
      report.run = `kg-${cell}-${text.length}-${shown.length}`;
      Object.assign(report.candidate, {
        cell_id: `cell-${cell}`,
        source_sha256: createHash('sha256').update(CALL).digest('hex')
      });
      Object.assign(report.failure ?? {}, {
        fix,
        edit: { line: 1, column: 34, text, replaces: 0 },
        where: {
          label: 'cell [4]',
          line: 1,
          column: null,
          excerpt: [{ line: 1, text: shown, marked: true }]
        }
      });
      return code('', [reportOutput(report)]);
    };
    await openNotebook(page, tmpPath, [
      code(CALL),
      withFix(0, sneaky),
      withFix(0, `${fix}${' '.repeat(400)}${sneaky}`),
      withFix(0, `${fix}\u2028${sneaky}`),
      withFix(0, fix, 'm = load_inline("n", cpp_sources="")'),
      withFix(0, fix)
    ]);
    if (trusted) {
      await trust(page);
    }
    const button = (cell: number) =>
      cellOutput(page, cell).getByRole('button', { name: 'Insert fix' });

    for (const cell of [1, 2, 3, 4]) {
      await selectCell(page, cell);
      await expect(button(cell)).toHaveAttribute('aria-disabled', 'true');
      await button(cell).click({ force: true });
      expect((await cells(page))[0]?.source).toBe(CALL);
    }
    await selectCell(page, 5);
    const after = CALL.replace('""', `"${fix}"`);
    await expect(
      cellOutput(page, 5).getByRole('group', { name: 'Suggested fix' })
    ).toContainText(after);
    await button(5).click();
    await expect.poll(async () => (await cells(page))[0]?.source).toBe(after);
  }
);

inBoth(
  'two copies of a notebook act each in its own cells',
  async (page, tmpPath, trusted) => {
    const report = reportFixture('wrong-result');
    report.candidate.cell_id = 'cell-0';
    const copy = [code(PROGRAM), code('"ran"', [reportOutput(report)])];
    const path = await openNotebook(page, tmpPath, copy);
    const before = await cells(page);
    await openNotebook(page, tmpPath, copy, 'python3', 'copy');
    if (trusted) {
      await trust(page);
    }

    await reports(page)
      .getByRole('button', { name: 'Insert failing case as a cell' })
      .click();
    await expect.poll(async () => (await cells(page)).length).toBe(3);
    await reports(page).getByRole('button', { name: 'Verify again' }).click();
    // The cell came with the file.
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Run it' })
      .click();

    await expect
      .poll(async () => (await cells(page)).map(cell => cell.execution_count))
      .toEqual([null, null, 1]);
    await open(page, path);
    const withoutMarks = (cell: Cell) => ({ ...cell, metadata: {} });
    await expect
      .poll(async () => (await cells(page)).map(withoutMarks))
      .toEqual(before.map(withoutMarks));
  }
);

inBoth(
  'a failing case is inserted as code of ours, whatever its texts are',
  async (page, tmpPath, trusted) => {
    const report = reportFixture('wrong-result');
    // Python, IPython and the editor end lines at different ones of these.
    const [shown, name, problem, label] = [
      '\n\r',
      '\f\v',
      '\x1c\x85',
      '\u2028\u2029'
    ].map(ends => [...ends].map(end => `${end}!${end}${PAYLOAD}#`).join(''));
    report.cases.splice(0, 1);
    for (const one of report.cases) {
      Object.assign(one, { name });
      Object.assign(one.first ?? {}, { got: shown, expected: shown });
      Object.assign(one.redraw ?? {}, { problem });
    }
    Object.assign(report.failure ?? {}, { case: name });
    Object.assign(report.problem, { dtype: label });
    Object.assign(report.candidate, { label });
    report.candidate.cell_id = 'cell-0';
    await openNotebook(page, tmpPath, [
      code(PROGRAM),
      code('', [reportOutput(report)])
    ]);
    if (trusted) {
      await trust(page);
    }

    await reports(page)
      .getByRole('button', { name: 'Insert failing case as a cell' })
      .click();

    const source = async () => String((await cells(page))[1]?.source);
    await expect.poll(source).toContain('kernelgate.draw_case(');
    expect(await source()).toMatch(/^[ -~\n]*$/);
    await runCell(page, 1);
    await expect
      .poll(async () => (await cells(page))[1]?.execution_count)
      .toBe(1);
    await kernelIs(page, 'idle');
    expect(await exists(page, `${tmpPath}/${TRACE}`)).toBe(false);
  }
);

const KERNELS = [
  ['python3', 'emulation on the CPU'],
  ['installed-kernelgate', 'emulation on the CPU'],
  ['without-kernelgate', 'The kernelgate package is missing in this kernel']
] as const;

test("nothing in a notebook's folder is imported when it is opened with the panel in sight", async ({
  page,
  tmpPath
}) => {
  const trap = `import os
os.makedirs(os.path.join(os.path.dirname(os.path.abspath(__file__)), "${TRACE}"), exist_ok=True)
`;
  for (const file of ['kernelgate.py', 'msgspec.py', 'torch.py']) {
    await page.contents.uploadContent(trap, 'text', `${tmpPath}/${file}`);
  }
  const panel = await openPanel(page);

  for (const [kernel, words] of KERNELS) {
    const cell = code('import kernelgate');
    await openNotebook(page, tmpPath, [cell], kernel, kernel);
    await expect(panel).toContainText(`${kernel}.ipynb`);
    await expect(panel).toContainText(words);
    expect(await exists(page, `${tmpPath}/${TRACE}`)).toBe(false);
  }

  // The trap does work: a person's own import finds it, if nothing else.
  await runCell(page, 0);
  await expect.poll(() => exists(page, `${tmpPath}/${TRACE}`)).toBe(true);
  await panel.getByRole('button', { name: 'Refresh' }).click();
  await expect(panel).toContainText(
    'another module named kernelgate is loaded'
  );
});

/** Whether a payload left its trace there. */
async function exists(page: Page, path: string): Promise<boolean> {
  return page.contents.directoryExists(path);
}
