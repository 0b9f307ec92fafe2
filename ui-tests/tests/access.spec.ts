import { expectAccessible } from './accessible';
import {
  CHECKING,
  code,
  expect,
  heldProgram,
  openNotebook,
  openPanel,
  Page,
  reportOutput,
  reports,
  RUN_TIMEOUT_MS,
  STATES,
  test,
  verdict
} from './gate';

const WIDTHS_PX = [480, 900, 1400];
const LONG_RUN_MS = 5500; // a run of 5 s is long

test('every state is accessible and whole in three themes: the panel, and reports with every section open', async ({
  page,
  tmpPath
}) => {
  test.slow();
  await openNotebook(
    page,
    tmpPath,
    STATES.map(state => ({
      ...code('', [reportOutput(state)]),
      // Its program's cell is there and reads otherwise: the report is older.
      ...(state === 'build-failure' ? { id: '3f2a91c0' } : {})
    }))
  );
  const panel = await openPanel(page);
  await expect(panel).toContainText('No GPU in this kernel');
  await expect(reports(page)).toHaveCount(STATES.length);
  await expect(page.getByRole('note').first()).toBeVisible();
  await reports(page).first().getByRole('button', { name: 'Compare' }).click();
  await expect(panel.getByRole('region', { name: 'Comparison' })).toBeFocused();
  // What closed sections hold is drawn after the reports are on the page.
  await expect(
    page.locator('.jp-KernelReport details[aria-busy="true"]')
  ).toHaveCount(0);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) {
      details.open = true;
    }
  });

  await expectAccessible(page, '#kernelgate-panel', '.jp-KernelReport');
  for (const width of WIDTHS_PX) {
    await page.addStyleTag({
      content: `.jp-KernelReport { width: ${width}px; }`
    });
    await expect.poll(() => cutOff(page), `at ${width} px`).toEqual([]);
  }
});

test('is accessible while a run goes on; its end stands in the title of a page out of sight @main', async ({
  page,
  tmpPath
}) => {
  const program = heldProgram(test.info());
  await openNotebook(page, tmpPath, [code(program.source)]);
  const panel = await openPanel(page);
  await panel.getByRole('button', { name: 'Check LeakyReLU on CPU' }).click();
  await expect(verdict(reports(page))).toHaveText(CHECKING, {
    timeout: RUN_TIMEOUT_MS
  });
  const longRun = page.waitForTimeout(LONG_RUN_MS);

  await expectAccessible(page, '#kernelgate-panel', '.jp-KernelReport');
  await expect(verdict(reports(page))).toHaveText(CHECKING);

  await look(page, 'hidden');
  await longRun; // a shorter one calls nobody
  program.letGo();
  await expect(page).toHaveTitle(/^Correct in emulation.* – .*JupyterLab/, {
    timeout: RUN_TIMEOUT_MS
  });
  await look(page, 'visible');
  await expect(page).not.toHaveTitle(/Correct/);
});

/** What a browser says of a page whose tab goes behind another one, or comes back. */
function look(page: Page, state: DocumentVisibilityState): Promise<void> {
  return page.evaluate(state => {
    Object.defineProperty(document, 'visibilityState', {
      value: state,
      configurable: true
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}

/** The verdicts of reports that are wider than their frame. */
function cutOff(page: Page): Promise<string[]> {
  return reports(page).evaluateAll(all =>
    all
      .filter(report => report.scrollWidth > report.clientWidth)
      .map(report => report.querySelector('[role="status"]')?.textContent ?? '')
  );
}
