import AxeBuilder from '@axe-core/playwright';
import {
  code,
  expect,
  openNotebook,
  openPanel,
  Page,
  reportOutput,
  reports,
  RUN_TIMEOUT_MS,
  SLOW_PROGRAM,
  test,
  verdict
} from './gate';

const FIXTURES = [
  'pass',
  'graded',
  'weak',
  'wrong-result',
  'build-failure',
  'cancelled',
  'profile',
  'unclear',
  'sweep',
  'other-arithmetic',
  'unknown-version'
];

for (const theme of [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
]) {
  test(`is accessible in ${theme}: the panel, and reports with every section open`, async ({
    page,
    tmpPath
  }) => {
    await page.theme.setTheme(theme);
    await openNotebook(
      page,
      tmpPath,
      FIXTURES.map(fixture => ({
        ...code('', [reportOutput(fixture)]),
        // Its program's cell is there and reads otherwise: the report is older.
        ...(fixture === 'build-failure' ? { id: '3f2a91c0' } : {})
      }))
    );
    const panel = await openPanel(page);
    await expect(panel).toContainText('No GPU in this kernel');
    await expect(reports(page)).toHaveCount(FIXTURES.length);
    await expect(page.getByRole('note').first()).toBeVisible();
    await reports(page)
      .first()
      .getByRole('button', { name: 'Compare' })
      .click();
    await expect(
      panel.getByRole('region', { name: 'Comparison' })
    ).toBeFocused();
    await giveBodyHeight(page);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) {
        details.open = true;
      }
    });

    expect(await violations(page, '#kernelgate-panel')).toEqual([]);
    expect(await violations(page, '.jp-KernelReport')).toEqual([]);
  });
}

test('is accessible while a run goes on', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [code(SLOW_PROGRAM)]);
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Check LeakyReLU on CPU' }).click();
  await expect(verdict(reports(page))).toHaveText('Checking', {
    timeout: RUN_TIMEOUT_MS
  });
  await giveBodyHeight(page);

  const found = await violations(page, '#kernelgate-panel');
  found.push(...(await violations(page, '.jp-KernelReport')));

  await expect(verdict(reports(page))).toHaveText('Checking');
  expect(found).toEqual([]);
});

/** Lab's body has no height, so that axe takes all of it for clipped. */
async function giveBodyHeight(page: Page): Promise<void> {
  await page.addStyleTag({ content: 'html, body { height: 100% }' });
}

/** What axe finds, a line for each element. */
async function violations(page: Page, scope: string): Promise<string[]> {
  // Galata's page is Playwright's with more, typed for an older version of it.
  const plain = page as unknown as ConstructorParameters<
    typeof AxeBuilder
  >[0]['page'];
  const { passes, violations } = await new AxeBuilder({ page: plain })
    .setLegacyMode()
    .include(scope)
    .analyze();
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
  );
}
