/** What axe finds. */

import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from './gate';

const THEMES = [
  'JupyterLab Light',
  'JupyterLab Dark',
  'JupyterLab Dark High Contrast'
];

/** One look at all reports takes seconds, on a busy machine many. */
const AXE_TIMEOUT_MS = 60_000;

/** What axe finds in what is drawn there, a line for each element; by every rule, or by these. */
export async function violations(
  page: Page,
  scope: string,
  rules?: string[]
): Promise<string[]> {
  // Lab's body has no height, so that axe takes all of it for clipped.
  await page.addStyleTag({ content: 'html, body { height: 100% }' });
  // Galata's page is Playwright's with more, typed for an older version of it.
  const plain = page as unknown as ConstructorParameters<
    typeof AxeBuilder
  >[0]['page'];
  const axe = new AxeBuilder({ page: plain }).setLegacyMode().include(scope);
  const { passes, violations } = await (
    rules ? axe.withRules(rules) : axe
  ).analyze();
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
  );
}

/** That axe finds nothing there in any theme; which is on changes nothing but colours. */
export async function expectAccessible(
  page: Page,
  ...scopes: string[]
): Promise<void> {
  for (const [n, theme] of THEMES.entries()) {
    await page.theme.setTheme(theme);
    for (const scope of scopes) {
      const rules = n === 0 ? undefined : ['color-contrast'];
      // Colours may be on their way from one theme to the next.
      await expect
        .poll(() => violations(page, scope, rules), {
          message: theme,
          timeout: AXE_TIMEOUT_MS
        })
        .toEqual([]);
    }
  }
}
