import { code, expect, openNotebook, openPanel, test } from './gate';

/** "No Kernel" is narrower by this than the longest name of these kernels. */
const NAME_GROWS_PX = 60;

test('the toolbar keeps room for the name of the kernel, beside the panel too', async ({
  page,
  tmpPath
}) => {
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
  const [whole, space, last] = await Promise.all(
    [bar, item('spacer'), item('executionProgress')].map(one =>
      one.boundingBox()
    )
  );
  expect(space!.width).toBeGreaterThan(NAME_GROWS_PX);
  expect(last!.x + last!.width).toBeLessThanOrEqual(whole!.x + whole!.width);
  expect(last!.y + last!.height).toBeLessThanOrEqual(whole!.y + whole!.height);

  await page.setViewportSize({ width: 1700, height: 900 });
  await expect(label).toBeVisible();
});
