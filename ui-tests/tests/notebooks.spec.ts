import type { NotebookPanel } from '@jupyterlab/notebook';
import {
  cells,
  code,
  expect,
  kernelIs,
  openNotebook,
  openPanel,
  Page,
  runCell,
  test,
  trust,
  upload
} from './gate';
import { FLAG, hostileNotebooks, INotebook, TRACE } from './notebooks';

/** The kernel says what it is asked for: whether a program is right is no question here. */
const SAYS = `import kernelgate
def said(*given, **named):
    print("asked", given, named)
kernelgate.verify = kernelgate.benchmark = said`;

/** Below these alone do our styles hold. */
const OURS =
  'kernelgate-report, kernelgate-bar, kernelgate-panel, kernelgate-difference';

for (const isTrusted of [false, true]) {
  test(`nothing of a ${isTrusted ? 'trusted' : 'strange'} notebook runs that was not shown, and nothing looks genuine that is not`, async ({
    page,
    tmpPath
  }) => {
    test.setTimeout(900_000);
    const notebooks = hostileNotebooks();
    expect(notebooks.length).toBeGreaterThanOrEqual(40);
    await openPanel(page);
    await openNotebook(page, tmpPath, [code(SAYS)]);
    await runCell(page, 0);
    await kernelIs(page, 'idle');
    const kernel = await page.evaluate(() => {
      const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
      const model = front.sessionContext.session?.kernel?.model;
      return { id: model?.id ?? '', name: model?.name ?? '' };
    });
    for (const [n, notebook] of notebooks.entries()) {
      await test.step(notebook.name, async () => {
        await openIn(page, `${tmpPath}/${n}.ipynb`, notebook, kernel);
        if (isTrusted) {
          await trust(page);
        }
        const before = await sources(page);
        await expectNothingGenuine(page, notebook, isTrusted);
        if (notebook.isPressed) {
          await pressVerify(page, notebook, before);
        }
        if (!isShownByLab(notebook, isTrusted)) {
          expect(
            await page.evaluate(
              name => [name in window, Object.keys(Object.prototype).length],
              FLAG
            )
          ).toEqual([false, 0]);
        }
        await page.evaluate(name => Reflect.deleteProperty(window, name), FLAG);
        await close(page);
      });
    }
    expect(await page.contents.directoryExists(`${tmpPath}/${TRACE}`)).toBe(
      false
    );
  });
}

/** Opens a notebook with a kernel that runs already. */
async function openIn(
  page: Page,
  path: string,
  { cells, metadata = {} }: INotebook,
  kernel: { id: string; name: string }
): Promise<void> {
  await upload(page, path, {
    cells: cells.map((cell, n) => ({ id: `cell-${n}`, ...cell })),
    metadata: {
      kernelspec: { name: kernel.name, display_name: '' },
      ...metadata
    },
    nbformat: 4,
    nbformat_minor: 5
  });
  await page.evaluate(
    async ({ path, kernel }) => {
      const panel = (await window.jupyterapp.commands.execute(
        'docmanager:open',
        { path, kernel }
      )) as NotebookPanel;
      await panel.context.ready;
      await panel.sessionContext.ready;
    },
    { path, kernel }
  );
}

async function close(page: Page): Promise<void> {
  await page.evaluate(() => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    front.context.model.dirty = false;
    front.dispose();
  });
}

/** Lab draws the HTML of what a person has trusted as it stands, scripts and all. */
function isShownByLab({ name }: INotebook, isTrusted: boolean): boolean {
  return isTrusted && name.startsWith('worn in HTML');
}

/** A stranger's element of ours is gone, a class of ours has no style, and a saved verdict says that it is one. */
async function expectNothingGenuine(
  page: Page,
  shown: INotebook,
  isTrusted: boolean
): Promise<void> {
  const notebook = page.locator('.jp-Notebook:visible');
  const drawn = notebook
    .locator('kernelgate-report article')
    .filter({ hasNotText: 'This report cannot be drawn here' });
  if ((await drawn.count()) > 0 && !shown.name.includes('worn')) {
    await expect(drawn).toContainText(['From the file, not run here']);
  }
  if (isShownByLab(shown, isTrusted)) {
    return;
  }
  const worn = notebook.locator(
    '.jp-RenderedMarkdown, .jp-RenderedHTML, .jp-RenderedHTMLCommon'
  );
  await expect(worn.locator(OURS)).toHaveCount(0);
  const borders = await worn.locator('[class*="jp-Kernel"]').evaluateAll(all =>
    all.map(node => {
      const { borderLeftWidth, display } = getComputedStyle(node);
      return `${borderLeftWidth} ${display}`;
    })
  );
  expect(borders.filter(one => !/^0px (block|inline)$/.test(one))).toEqual([]);
}

/** A press runs a cell of ours, or what a question has shown whole; here the answer is no. */
async function pressVerify(
  page: Page,
  { name }: INotebook,
  before: string[]
): Promise<void> {
  // Of what stands beside a program, the problem is found.
  const operator = name.startsWith('beside') ? undefined : 'leakyrelu';
  await page.evaluate(operator => {
    const front = window.jupyterapp.shell.currentWidget as NotebookPanel;
    const program = front.content.widgets.find(cell =>
      cell.model.sharedModel.getSource().includes('ModelNew')
    );
    void window.jupyterapp.commands.execute('kernelgate:verify', {
      cellId: program?.model.id,
      ...(operator && { operator })
    });
  }, operator);
  const dialog = page.getByRole('dialog');
  const after = async () =>
    (await cells(page)).filter(
      cell => cell.execution_count !== null && cell.cell_type === 'code'
    );
  await expect
    .poll(async () => (await dialog.count()) + (await after()).length)
    .toBeGreaterThan(0);
  if ((await dialog.count()) > 0) {
    const shown = await dialog.innerText();
    expect(shown).toContain('Run it?');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toHaveCount(0);
  }
  for (const { source } of await after()) {
    // One call, of which each word is known; or a cell that was not there before.
    expect(String(source)).toMatch(
      /^import kernelgate\nkernelgate\.verify\([ -~]*\)$/
    );
    expect(String(source)).not.toContain('makedirs');
  }
  const now = await sources(page);
  expect(before.filter(text => !now.includes(text))).toEqual([]);
}

async function sources(page: Page): Promise<string[]> {
  return (await cells(page)).map(cell => String(cell.source));
}
