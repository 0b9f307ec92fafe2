import { recordedTiming } from '../../../model/__tests__/recorded';
import { layout } from '../layout';

describe('the layout of the times', () => {
  it('lets bars of rates grow towards the limit', () => {
    const timing = recordedTiming('benchmark');
    const { bars, limit } = layout(timing)!;
    expect(limit!.x).toBeLessThanOrEqual(100);
    for (const { share, to } of bars) {
      expect(to / limit!.x).toBeCloseTo(share!.rate / limit!.peak.rate);
    }
  });

  it('draws times from 0 where there is no limit', () => {
    const timing = { ...recordedTiming('benchmark'), limit: null };
    const { bars, limit } = layout(timing)!;
    expect(limit).toBeNull();
    const [first, second] = bars;
    expect(first!.to / second!.to).toBeCloseTo(
      first!.one.row.median_s / second!.one.row.median_s
    );
  });

  it('is none where no forward call was timed', () => {
    expect(layout({ ...recordedTiming('benchmark'), rows: [] })).toBeNull();
  });
});
