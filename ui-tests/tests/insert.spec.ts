import { readFileSync } from 'fs';
import { join } from 'path';
import {
  cells,
  code,
  expect,
  openNotebook,
  Page,
  runCell,
  selectCell,
  test
} from './gate';

const PROGRAM = readFileSync(
  join(__dirname, '../../python/kernelgate/catalogue/leakyrelu/model_new.py'),
  'utf-8'
);

test('inserts the program below the active cell, unrun, and undoes it at once', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('1 + 1'), code('2 + 2')]);
  await selectCell(page, 0);

  await page
    .getByRole('button', { name: 'Insert optimized LeakyReLU' })
    .first()
    .click();

  await expect.poll(() => sources(page)).toEqual(['1 + 1', PROGRAM, '2 + 2']);
  await expect(page.locator('.jp-Cell.jp-mod-active')).toContainText(
    PROGRAM.slice(0, PROGRAM.indexOf('\n'))
  );

  await page.menu.clickMenuItem('Edit>Undo Cell Operation');

  await expect.poll(() => sources(page)).toEqual(['1 + 1', '2 + 2']);

  // The kernel has run nothing before.
  await runCell(page, 0);
  await expect
    .poll(async () => (await cells(page))[0]?.execution_count)
    .toBe(1);
});

test('the program that the keyboard inserts arrives folded to one line, and opens at a press', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code('1 + 1')]);
  await selectCell(page, 0);
  await page.keyboard.press('Control+Shift+c');
  await expect(page.locator('.lm-CommandPalette-input:visible')).toBeFocused();
  await page.keyboard.type('Insert optimized LeakyReLU');
  await expect(
    page.locator('.lm-CommandPalette-item.lm-mod-active')
  ).toContainText('Insert optimized LeakyReLU');
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
});

test('inserts into the active cell where that is empty, from the menu', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [code(''), code('2 + 2')]);
  await selectCell(page, 0);

  await page.menu.clickMenuItem('Run>KernelGate>Insert optimized LeakyReLU');

  await expect.poll(() => sources(page)).toEqual([PROGRAM, '2 + 2']);

  await page.menu.clickMenuItem('Edit>Undo Cell Operation');

  await expect.poll(() => sources(page)).toEqual(['', '2 + 2']);
});

async function sources(page: Page): Promise<unknown[]> {
  return (await cells(page)).map(cell => cell.source);
}
