/** Whatever the numbers of a report, what is drawn of it is bounded and on the page. */
import { validateReport } from '../../model/validate';
import { fixture, FIXTURE_NAMES } from '../../model/__tests__/recorded';
import { clearPage, draw } from './page';

const NAMES = FIXTURE_NAMES.filter(name => name !== 'unknown-version');

afterEach(clearPage);

/** The data with other numbers, save the schema's version; `at` is without indices. */
function withNumbers(
  data: unknown,
  choose: (old: number, at: string) => number,
  at = ''
): unknown {
  if (typeof data === 'number') {
    return at === '/schema' ? data : choose(data, at);
  }
  if (Array.isArray(data)) {
    return data.map(one => withNumbers(one, choose, at));
  }
  if (typeof data === 'object' && data !== null) {
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [
        key,
        withNumbers(value, choose, `${at}/${key}`)
      ])
    );
  }
  return data;
}

/** Whether the schema allows a figure in a place of the report; each is tried once. */
function allowedIn(data: unknown): (figure: number, at: string) => boolean {
  const known = new Map<string, boolean>();
  return (figure, at) => {
    const key = `${figure} ${at}`;
    const before = known.get(key);
    if (before !== undefined) {
      return before;
    }
    const changed = withNumbers(data, (one, there) =>
      there === at ? figure : one
    );
    const allowed = validateReport(changed) !== null;
    known.set(key, allowed);
    return allowed;
  };
}

/** Drawn with every section open. */
async function drawOpen(report: unknown): Promise<HTMLElement> {
  const node = await draw(report);
  for (const details of node.querySelectorAll('details')) {
    details.open = true;
  }
  return node;
}

const LARGEST = [1e300, 1e24, 1e12, 2 ** 63, 2 ** 53 - 1, 1e9];
const SMALLEST = [-1e24, 0, 5e-324, 1e-12, 1];
/** In turn, so that each axis spans everything. */
const BOTH = [...SMALLEST, ...LARGEST];

describe.each(NAMES)('%s', name => {
  it.each([1e308, -1e308, Number.MAX_VALUE])(
    'is not drawn with figures of %d, and its text is',
    async figure => {
      const node = await drawOpen(withNumbers(fixture(name), () => figure));
      expect(node.textContent).toContain('KernelGate summary');
      expect(node.querySelector('svg.jp-KernelReport-chart')).toBeNull();
    }
  );

  it('is drawn with the largest figures that the schema allows, the smallest, and both', async () => {
    const data = fixture(name);
    const allowed = allowedIn(data);
    /** The report with the first of those figures in each place that the schema allows there. */
    const reaching = (figures: readonly number[]) =>
      withNumbers(
        data,
        (old, at) => figures.find(figure => allowed(figure, at)) ?? old
      );
    const large = reaching(LARGEST);
    const small = reaching(SMALLEST);
    let n = 0;
    const mixed = withNumbers(data, (old, at) => {
      const figure = BOTH[n++ % BOTH.length] ?? old;
      return allowed(figure, at) ? figure : old;
    });
    for (const report of [large, small, mixed]) {
      expect(validateReport(report)).not.toBeNull();
      const node = await drawOpen(report);
      expect(node.querySelector('article')).not.toBeNull();
      expect(node.querySelectorAll('*').length).toBeLessThan(10_000);
      expect(node.innerHTML.length).toBeLessThan(1_000_000);
      const places = [...node.querySelectorAll('svg *')].flatMap(element =>
        [...element.attributes].map(({ name, value }) => `${name}=${value}`)
      );
      expect(places.filter(place => /NaN|Infinity/.test(place))).toEqual([]);
    }
    // Each place of a report is tried with each figure.
  }, 60_000);
});
