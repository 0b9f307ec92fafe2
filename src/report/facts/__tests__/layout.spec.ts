import { recordedTiming } from '../../../model/__tests__/recorded';
import { layoutLimit, layoutRatio } from '../layout';

describe('the chart of Faster?', () => {
  it('holds the interval, the noise and "same"', () => {
    const { speed, scale, axis } = layoutRatio(recordedTiming('benchmark'))!;
    expect(scale.low).toBeLessThan(Math.min(speed.low, 1 / speed.band));
    expect(scale.high).toBeGreaterThan(Math.max(speed.high, speed.band));
    expect(axis.ticks).toContain(1);
  });

  it('leaves room between the labels of its axis', () => {
    const { axis } = layoutRatio(recordedTiming('benchmark'))!;
    const places = axis.ticks.map(tick => axis.at(tick));
    places.slice(1).forEach((place, n) => {
      expect(place - places[n]!).toBeGreaterThanOrEqual(24);
    });
  });

  it('is none where nothing was compared', () => {
    const timing = { ...recordedTiming('benchmark'), speeds: [] };
    expect(layoutRatio(timing)).toBeNull();
  });
});

describe('the chart of Limit?', () => {
  it('lets the bar come as far as the share of the peak', () => {
    const { share, peak, rateX, peakX } = layoutLimit(
      recordedTiming('benchmark')
    )!;
    expect(rateX / peakX).toBeCloseTo(share.rate / peak.rate);
    expect(Math.max(rateX, peakX)).toBeLessThan(100);
  });

  it('is none where no limit is known', () => {
    const timing = { ...recordedTiming('benchmark'), limit: null };
    expect(layoutLimit(timing)).toBeNull();
  });
});
