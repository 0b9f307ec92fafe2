import type { IPrecision } from '../../../../model/types';
import { layout } from '../layout';

const BOUNDS: [string, number][] = [
  ['fp32', 8],
  ['split', 50],
  ['TF32 or FP16', 6000],
  ['BF16', 50000]
];

function precision(parts: Partial<IPrecision>): IPrecision {
  return {
    case: 'normal',
    units: 2,
    reference_units: 1,
    passes_units: 50,
    bounds: BOUNDS.map(([name, units]) => ({ name, units, shown: '' })),
    error: '',
    reference_error: '',
    passes: '',
    words: '',
    ...parts
  };
}

describe('the axis of arithmetics', () => {
  it('puts each arithmetic where the finer one ends', () => {
    const bands = layout(precision({}))!.bands;
    expect(bands).toHaveLength(4);
    expect(bands[0]!.x).toBe(0);
    bands.slice(1).forEach((band, n) => {
      expect(band.x).toBeCloseTo(bands[n]!.x + bands[n]!.width);
    });
  });

  it('puts an error into the band of its arithmetic, and the line at what passes', () => {
    const chart = layout(precision({ units: 700 }))!;
    const tf32 = chart.bands[2]!;
    expect(chart.error).toBeGreaterThan(tf32.x);
    expect(chart.error).toBeLessThan(tf32.x + tf32.width);
    expect(chart.passes).toBeCloseTo(tf32.x);
    expect(chart.reference).toBeLessThan(chart.error);
  });

  it('puts no error at the left end, and one beyond all bounds on the axis', () => {
    expect(layout(precision({ units: 0 }))!.error).toBe(0);
    const far = layout(precision({ units: 1e12 }))!;
    expect(far.error).toBeGreaterThan(far.bands[3]!.x + far.bands[3]!.width);
    expect(far.error).toBeLessThan(100);
    expect(far.scale.ticks.length).toBeLessThan(10);
  });

  it('is not drawn where there is one arithmetic, or none', () => {
    expect(layout(precision({ bounds: [] }))).toBeNull();
    expect(
      layout(precision({ bounds: [{ name: 'fp32', units: 8, shown: '' }] }))
    ).toBeNull();
  });
});
