/** Every text of a report is the report's own, or goes through the translator. */
import {
  fixture,
  FIXTURE_NAMES,
  type Json
} from '../../model/__tests__/recorded';
import { pseudo, untranslated } from '../../ui/__tests__/pseudo';
import { clearPage, render } from './page';

afterEach(clearPage);

it.each(FIXTURE_NAMES)('translates what is drawn around %s', async name => {
  const report: Json = fixture(name);
  const { node } = await render(report, 'a text', pseudo);
  expect(node.textContent).toContain('⟦');
  expect(untranslated(node, [report, 'a text'])).toEqual([]);
});
