import { HEIGHT, layout } from '../layout';

const values = (counts: number[], others = 0) => ({
  case: 'normal',
  got: [],
  expected: [],
  wrong: 0,
  lowest: -3,
  counts,
  others
});

it('gives each power a bar as high as its share of the most', () => {
  const bars = layout(values([50, 0, 100]));
  expect(bars.map(({ power }) => power)).toEqual([-3, -2, -1]);
  expect(bars.map(({ height }) => height)).toEqual([HEIGHT / 2, 0, HEIGHT]);
  expect(bars.every(({ y, height }) => y + height === HEIGHT)).toBe(true);
});

it('keeps a few elements in sight beside many, and what is no number in a bar of its own', () => {
  const bars = layout(values([1, 1e9], 3));
  expect(bars.map(({ height }) => height > 0)).toEqual([true, true, true]);
  expect(bars[2]!.power).toBeNull();
  expect(layout(values([]))).toEqual([]);
});
