import { recordedTiming } from '../../../../../model/__tests__/recorded';
import { HEIGHT, layout } from '../layout';

const sweep = recordedTiming('sweep').sweep;

describe('the layout of the sizes', () => {
  it('places what is faster above the line of no difference, in its interval', () => {
    const { points, yTicks } = layout(sweep);
    const same = yTicks.find(({ value }) => value === 1)!.y;
    points.forEach(({ y, low, high }, n) => {
      expect(Math.sign(same - y)).toBe(Math.sign(sweep[n]!.ratio - 1));
      expect(y).toBeLessThanOrEqual(low);
      expect(y).toBeGreaterThanOrEqual(high);
      expect(Math.min(high, HEIGHT - low)).toBeGreaterThan(0);
    });
  });

  it('places more elements further right, from the labels to the end', () => {
    const points = layout(
      [...sweep].sort((a, b) => a.elements - b.elements)
    ).points.map(({ x }) => x);
    expect(points).toEqual([...points].sort((a, b) => a - b));
    expect(points[0]).toBeGreaterThan(14);
    expect(points.at(-1)).toBeLessThan(100);
  });

  it('gives equal factors equal lengths', () => {
    const at = [1e3, 1e5, 1e7].map(elements => ({ ...sweep[0]!, elements }));
    const [a, b, c] = layout(at).points.map(({ x }) => x);
    expect(c! - b!).toBeCloseTo(b! - a!);
  });

  it('marks what is slower', () => {
    const [faster, slower] = layout([
      { ...sweep[0]!, verdict: 'FASTER' },
      { ...sweep[0]!, verdict: 'SLOWER' }
    ]).points;
    expect([faster!.isSlower, slower!.isSlower]).toEqual([false, true]);
  });
});
