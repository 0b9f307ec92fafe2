import { IScale, linear, logarithmic, ratios, spaced } from '../scale';

const EXTREMES = [
  -1e308,
  -1e300,
  -1,
  -5e-324,
  0,
  5e-324,
  1e-308,
  1e-300,
  1e-20,
  0.1,
  1,
  1 + Number.EPSILON,
  2 ** 53,
  1e15,
  1e21,
  1e300,
  1e308,
  Number.MAX_VALUE,
  Infinity,
  -Infinity,
  NaN
];

const PAIRS = EXTREMES.flatMap(low => EXTREMES.map(high => [low, high]));

const KINDS: [string, (low: number, high: number) => IScale][] = [
  ['linear with nice ends', (low, high) => linear(low, high)],
  ['linear', (low, high) => linear(low, high, false)],
  ['logarithmic', logarithmic],
  ['of ratios', ratios],
  ['spaced', (low, high) => spaced(logarithmic(low, high), 14, 1)]
];

describe.each(KINDS)('a scale that is %s', (_, scaleOf) => {
  it.each(PAIRS)('is bounded from %d to %d', (low, high) => {
    const scale = scaleOf(low as number, high as number);
    expect(scale.ticks.length).toBeLessThanOrEqual(20);
    for (const value of [...EXTREMES, ...scale.ticks]) {
      const at = scale.at(value);
      expect(at >= 0 && at <= 100).toBe(true);
    }
    expect(scale.ticks.every(Number.isFinite)).toBe(true);
    expect(new Set(scale.ticks).size).toBe(scale.ticks.length);
  });
});

describe('linear', () => {
  it('moves its ends out to round numbers', () => {
    const { low, high, ticks, at } = linear(0.13, 0.87);
    expect([low, high]).toEqual([0, 1]);
    expect(ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(at(0.25)).toBe(25);
  });

  it('keeps its ends where they are given', () => {
    expect(linear(0.13, 0.87, false)).toMatchObject({ low: 0.13, high: 0.87 });
  });
});

describe('logarithmic', () => {
  it('has a tick at each power of ten, and at fewer where there are many', () => {
    expect(logarithmic(0.5, 2000).ticks).toEqual([1, 10, 100, 1000]);
    expect(logarithmic(1e-30, 1e30).ticks.slice(0, 3)).toEqual([
      1e-30, 1e-26, 1e-22
    ]);
  });
});
