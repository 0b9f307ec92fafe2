import { execFileSync } from 'child_process';
import { readFileSync } from 'fs';
import { join } from 'path';
import {
  cells,
  code,
  expect,
  openNotebook,
  openPanel,
  Page,
  runCell,
  selectCell,
  test
} from './gate';
import { BIN } from './servers';

const PROGRAM = readFileSync(
  join(__dirname, '../../python/kernelgate/catalogue/leakyrelu/model_new.py'),
  'utf-8'
);

test('inserts where the person is, unrun, and undoes it at once: by the toolbar, and from the menu @main', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('1 + 1'), code('')]);
  await selectCell(page, 0);

  await page
    .getByRole('button', { name: 'Insert optimized LeakyReLU' })
    .first()
    .click();

  await expect.poll(() => sources(page)).toEqual(['1 + 1', PROGRAM, '']);
  await expect(page.locator('.jp-Cell.jp-mod-active')).toContainText(
    PROGRAM.slice(0, PROGRAM.indexOf('\n'))
  );

  await page.menu.clickMenuItem('Edit>Undo Cell Operation');

  await expect.poll(() => sources(page)).toEqual(['1 + 1', '']);

  // The active cell is empty: it takes the program.
  await selectCell(page, 1);
  await page.menu.clickMenuItem('Run>KernelGate>Insert optimized LeakyReLU');

  await expect.poll(() => sources(page)).toEqual(['1 + 1', PROGRAM]);

  await page.menu.clickMenuItem('Edit>Undo Cell Operation');

  await expect.poll(() => sources(page)).toEqual(['1 + 1', '']);

  // The kernel has run nothing before.
  await runCell(page, 0);
  await expect
    .poll(async () => (await cells(page))[0]?.execution_count)
    .toBe(1);
});

test('by the keyboard a program arrives folded and opens at a press; the form chosen on a card is the one that is inserted', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('1 + 1')]);
  await selectCell(page, 0);
  const words = page.locator('.lm-CommandPalette-input:visible');
  const chosen = page.locator('.lm-CommandPalette-item.lm-mod-active');
  // A notebook that has just been opened may take the focus late, which closes the palette.
  await expect(async () => {
    if (!(await words.isVisible())) {
      await page.keyboard.press('Control+Shift+c');
    }
    await words.fill('Insert optimized LeakyReLU', { timeout: 2000 });
    await expect(chosen).toContainText('Insert optimized LeakyReLU', {
      timeout: 2000
    });
  }).toPass({ timeout: 20_000 });
  await page.keyboard.press('Enter');

  const program = page.locator('.jp-Cell.jp-mod-active');
  const line = program.locator('.jp-InputPlaceholder');
  const open = line.locator('.jp-MoreHorizIcon');
  await expect(line).toContainText('LeakyReLU in CUDA');
  await expect(async () => {
    const inside = await program.boundingBox();
    const button = await open.boundingBox();
    expect(inside!.height).toBeLessThan(60);
    expect(button!.x + button!.width).toBeLessThanOrEqual(
      inside!.x + inside!.width
    );
  }).toPass({ timeout: 20_000 });

  await open.click();

  await expect(program.locator('.cm-editor')).toBeVisible();
  expect(await sources(page)).toEqual(['1 + 1', PROGRAM]);

  const panel = await openPanel(page);
  const choice = panel.getByRole('combobox', { name: 'Form of LeakyReLU' });
  const insert = async (key: string, form: string) => {
    await choice.focus();
    await page.keyboard.press(key);
    await expect(choice).toHaveValue(form);
    await page.keyboard.press('Tab');
    await expect(
      panel.getByRole('button', {
        name: 'Insert optimized LeakyReLU',
        exact: true
      })
    ).toBeFocused();
    await page.keyboard.press('Enter');
  };

  await insert('s', 'short');

  const short = shownByShell('short');
  await expect.poll(() => sources(page)).toEqual(['1 + 1', PROGRAM, short]);
  await expect(panel).toContainText('Gives up: torch.compile');

  await insert('b', 'benchmark');

  const benchmark = shownByShell('benchmark');
  await expect
    .poll(() => sources(page))
    .toEqual(['1 + 1', PROGRAM, short, benchmark]);
  await expect(panel).not.toContainText('Gives up');
});

test('a program is loaded when the pointer comes to what inserts it, once, and not while that is only in sight', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('1 + 1')]);
  await selectCell(page, 0);
  const ours = page
    .getByRole('button', { name: 'Insert optimized LeakyReLU' })
    .first();
  await expect(ours).toBeVisible();
  // Time for what might load by itself.
  await page.waitForTimeout(2000);
  expect(await programs(page)).toEqual([]);

  await ours.hover();

  await expect.poll(() => programs(page)).toHaveLength(1);
  const before = await scripts(page);
  await page.mouse.down();
  await page.mouse.up();
  await expect.poll(() => sources(page)).toEqual(['1 + 1', PROGRAM]);
  expect(await scripts(page)).toEqual(before);

  const panel = await openPanel(page);
  const form = panel.getByRole('combobox', { name: 'Form of LeakyReLU' });
  await form.selectOption('short');
  expect(await programs(page)).toHaveLength(1);
  await panel
    .getByRole('button', { name: 'Insert optimized LeakyReLU', exact: true })
    .hover();

  await expect.poll(() => programs(page)).toHaveLength(2);

  await page.menu.openLocator('Run>KernelGate');
  await page
    .getByRole('menuitem', { name: 'Insert optimized Multiply, LeakyReLU' })
    .first()
    .hover();

  await expect.poll(() => programs(page)).toHaveLength(3);
});

/** The scripts of ours that the page has asked for, each as often as it did. */
function scripts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter(name => name.includes('/extensions/jupyterlab-kernelgate/'))
  );
}

/** Those that hold a program. */
async function programs(page: Page): Promise<string[]> {
  const urls = await scripts(page);
  const texts = await Promise.all(
    urls.map(async url => (await page.request.get(url)).text())
  );
  return urls.filter((_, n) => texts[n]?.includes('class ModelNew('));
}

/** A form of the program as the shell command prints it. */
function shownByShell(form: string): string {
  const words = ['show', 'leakyrelu', '--form', form];
  return execFileSync(join(BIN, 'kernelgate'), words, { encoding: 'utf-8' });
}

async function sources(page: Page): Promise<unknown[]> {
  return (await cells(page)).map(cell => cell.source);
}
