import { gzipSync } from 'zlib';
import {
  cells,
  code,
  expect,
  openNotebook,
  openPanel,
  Page,
  test
} from './gate';

/** What a page may load of ours before a notebook is opened, compressed. */
const FIRST_LOAD_BYTES = 25_000;

test('little is loaded at first, and the toolbar keeps room for the name of the kernel', async ({
  page,
  tmpPath
}) => {
  await expect
    .poll(async () => (await loadedBytes(page)).length)
    .toBeGreaterThan(2);
  const sizes = await loadedBytes(page);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(
    FIRST_LOAD_BYTES
  );

  await openPanel(page);
  await openNotebook(page, tmpPath, [code('x = 1')]);
  const bar = page.locator('.jp-NotebookPanel-toolbar:visible');
  const item = (name: string) => bar.locator(`[data-jp-item-name="${name}"]`);
  const insert = item('kernelgate-insert').getByRole('button', {
    name: 'Insert optimized LeakyReLU'
  });
  const label = item('kernelgate-insert').getByText('Insert optimized Leaky');

  await expect(item('kernelName')).toContainText('Python 3');
  await expect(insert).toBeVisible();
  await expect(label).toBeHidden();
  // Lab lays the bar out some frames after its items changed.
  const expectWhole = () =>
    expect(async () => {
      const [whole, name, last] = await Promise.all(
        [bar, item('kernelName'), item('executionProgress')].map(one =>
          one.boundingBox()
        )
      );
      for (const one of [name!, last!]) {
        expect(one.x + one.width).toBeLessThanOrEqual(whole!.x + whole!.width);
        expect(one.y + one.height).toBeLessThanOrEqual(
          whole!.y + whole!.height
        );
      }
    }).toPass({ timeout: 20_000 });
  await expectWhole();
  await openNotebook(page, tmpPath, [code('x = 1')], 'bare-python', 'long');
  await expect(item('kernelName')).toContainText('Python with neither');
  await expectWhole();

  await page.setViewportSize({ width: 1700, height: 900 });
  await expect(label).toBeVisible();

  // What a person can set, and a card that opens the example.
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('settingeditor:open', {
      query: 'KernelGate'
    })
  );
  await expect(
    page.getByRole('heading', { name: 'What Insert inserts' })
  ).toBeVisible();
  await page.menu.clickMenuItem('File>New Launcher');
  // JupyterLab may have opened a launcher of its own, behind this one.
  await page
    .locator('.jp-LauncherCard:visible', {
      hasText: 'New notebook with a CUDA kernel'
    })
    .last()
    .click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'Select Kernel' })
    .click();
  await expect
    .poll(async () => (await cells(page))[0]?.source)
    .toContain('class ModelNew');
});

/** The compressed size of each script of ours that the page has loaded. */
async function loadedBytes(page: Page): Promise<number[]> {
  const urls = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter(name => name.includes('/extensions/jupyterlab-kernelgate/'))
  );
  return Promise.all(
    urls.map(async url => {
      const script = await page.request.get(url);
      return gzipSync(await script.body(), { level: 9 }).length;
    })
  );
}
