import { HEIGHT, layout } from '../layout';

const values = (got: number[], expected: number[], wrong = got.length) => ({
  case: 'normal',
  got,
  expected,
  wrong,
  lowest: 0,
  counts: [],
  others: 0
});

it('puts equal values on the diagonal, and got above expected if it is larger', () => {
  const { points, ticks } = layout(values([1, 2, -1], [1, 1, -1], 1));
  const [first, last] = [ticks[0]!, ticks.at(-1)!];
  const diagonal = (x: number) =>
    first.y + ((x - first.x) / (last.x - first.x)) * (last.y - first.y);
  expect(points[0]!.y).toBeCloseTo(diagonal(points[0]!.x));
  expect(points[2]!.y).toBeCloseTo(diagonal(points[2]!.x));
  expect(points[1]!.y).toBeLessThan(diagonal(points[1]!.x));
  expect(points.map(({ isWrong }) => isWrong)).toEqual([true, false, false]);
  expect(ticks.map(({ value }) => value)).toEqual([-1, 0, 2]);
});

it('keeps small values apart beside one that is far out', () => {
  const { points } = layout(values([1e20, -1, 1, 2, -2], [1e20, -1, 1, 2, -2]));
  expect(points[2]!.x - points[1]!.x).toBeGreaterThan(1);
});

it.each([
  [[], []],
  [[0], [0]],
  [
    [1e24, -1e24],
    [-1e24, 1e24]
  ],
  [[1], []]
])('stays within the chart with %j against %j', (got, expected) => {
  const { points, ticks } = layout(values(got, expected));
  for (const { x, y } of [...points, ...ticks]) {
    expect(x >= 0 && x <= 100 && y >= 0 && y <= HEIGHT).toBe(true);
  }
});
