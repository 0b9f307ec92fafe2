import { recordedTiming } from '../../../../../model/__tests__/recorded';
import { BOTTOM, layoutRoofline, LEFT, TOP } from '../layout';

const roofline = () => layoutRoofline(recordedTiming('other-arithmetic'))!;

describe('the layout of the roofline', () => {
  it('lies in its plot', () => {
    const { points, peaks, xTicks, yTicks } = roofline();
    const xs = [
      ...points.map(({ x }) => x),
      ...peaks.flatMap(({ x1, x2 }) => [x1, x2]),
      ...xTicks.map(({ at }) => at)
    ];
    const ys = [
      ...points.map(({ y }) => y),
      ...peaks.flatMap(({ y1, y2 }) => [y1, y2]),
      ...yTicks.map(({ at }) => at)
    ];
    expect(Math.min(...xs)).toBeGreaterThanOrEqual(LEFT);
    expect(Math.max(...xs)).toBeLessThanOrEqual(100);
    expect(Math.min(...ys)).toBeGreaterThanOrEqual(TOP);
    expect(Math.max(...ys)).toBeLessThanOrEqual(BOTTOM);
  });

  it('has all programs at the operations a byte of the work, the faster the higher', () => {
    const { points } = roofline();
    const [first, ...others] = points;
    for (const one of others) {
      expect(one.x).toBe(first!.x);
      expect(Math.sign(one.y - first!.y)).toBe(
        Math.sign(first!.flopsPerS - one.flopsPerS)
      );
    }
  });

  it('lets memory slope up to where compute is level', () => {
    for (const { peak, y1, y2, x1, x2 } of roofline().peaks) {
      expect(x2).toBeGreaterThan(x1);
      expect(y2 < y1).toBe(peak.unit === 'B/s');
    }
  });

  it('writes no label of a level peak over another one', () => {
    const { peaks } = roofline();
    const levels = peaks
      .flatMap(({ label }) => (label?.kind === 'end' ? [label.y] : []))
      .sort((a, b) => a - b);
    expect(levels.length).toBeGreaterThan(0);
    levels.slice(1).forEach((y, n) => {
      expect(y - levels[n]!).toBeGreaterThanOrEqual(13);
    });
  });

  it('is none where no operations, no peak or no time is known', () => {
    const timing = recordedTiming('other-arithmetic');
    const limit = timing.limit!;
    const lower_bounds = limit.lower_bounds.map(bound => ({
      ...bound,
      flops: 0
    }));
    for (const spoilt of [
      { ...timing, limit: null },
      { ...timing, limit: { ...limit, lower_bounds } },
      { ...timing, limit: { ...limit, peak_rates: [] } },
      { ...timing, rows: [] }
    ]) {
      expect(layoutRoofline(spoilt)).toBeNull();
    }
  });
});
