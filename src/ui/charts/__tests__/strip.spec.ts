import { recordedTiming } from '../../../model/__tests__/recorded';
import { linear } from '../scale';
import { layoutStrip } from '../strip';

const row = recordedTiming('benchmark').rows[0]!;

describe('the layout of a strip', () => {
  it('has its median between its quartiles, and every sample on the axis', () => {
    const strip = layoutStrip(row, linear(0, 2 * row.median_s), 1000);
    if (strip.kind !== 'strip') {
      throw new Error('off the axis');
    }
    expect(strip.dots).toHaveLength(row.samples_s.length);
    expect(strip.dots.every(({ x }) => x > 0 && x < 100)).toBe(true);
    expect(strip.median).toBeGreaterThanOrEqual(strip.iqr.x);
    expect(strip.median).toBeLessThanOrEqual(strip.iqr.x + strip.iqr.width);
  });

  it('draws quantiles where there are more samples than dots', () => {
    const samples_s = Array.from({ length: 5000 }, (_, n) => 1 + n / 5000);
    const strip = layoutStrip(
      { ...row, samples_s, median_s: 1.5 },
      linear(1, 2, false),
      100
    );
    const places = strip.kind === 'strip' ? strip.dots.map(({ x }) => x) : [];
    expect(places).toHaveLength(100);
    expect(places[0]).toBeCloseTo(0.5, 0);
    expect(places[99]).toBeCloseTo(99.5, 0);
  });

  it.each([
    [0.5, 'left'],
    [3, 'right']
  ])(
    'says on which side a median of %d lies off the axis',
    (median_s, side) => {
      expect(layoutStrip({ ...row, median_s }, linear(1, 2, false), 9)).toEqual(
        {
          kind: 'off',
          side
        }
      );
    }
  );
});
