import { recordedTiming } from '../../../model/__tests__/recorded';
import type { ITimed, ITiming } from '../../../model/types';
import { inCacheStates, layoutIntervals, layoutSamples } from '../layout';

/** The recorded timing with every row changed. */
function timed(change: (row: ITimed) => Partial<ITimed>): ITiming {
  const timing = recordedTiming('benchmark');
  return {
    ...timing,
    rows: timing.rows.map(row => ({ ...row, ...change(row) }))
  };
}

describe('the layout of the samples', () => {
  it('spans the quartiles of what lies near the candidate', () => {
    const { programs, scale } = layoutSamples(recordedTiming('benchmark'))!;
    const ours = programs[0]!.row;
    expect(scale.low).toBeLessThanOrEqual(ours.q1_s);
    expect(scale.high).toBeGreaterThanOrEqual(ours.q3_s);
  });

  it('is not widened by a program far off, nor by a sample far out', () => {
    const { scale } = layoutSamples(recordedTiming('benchmark'))!;
    const far = timed(row =>
      row.role === 'other'
        ? { median_s: 9, q1_s: 9, q3_s: 9, samples_s: [9] }
        : { samples_s: [...row.samples_s, 9] }
    );
    expect(layoutSamples(far)!.scale.high).toBeLessThanOrEqual(scale.high);
  });

  it('has an axis where all samples are the same', () => {
    const same = timed(() => ({
      median_s: 1,
      q1_s: 1,
      q3_s: 1,
      samples_s: [1, 1]
    }));
    const { scale } = layoutSamples(same)!;
    expect(scale.low).toBeLessThan(1);
    expect(scale.high).toBeGreaterThan(1);
  });
});

describe('the layout of the intervals', () => {
  it('holds every interval and the noise band', () => {
    const { programs, band, scale } = layoutIntervals(
      recordedTiming('benchmark')
    )!;
    for (const { speed } of programs) {
      expect(scale.low).toBeLessThan(Math.min(speed.low, 1 / band));
      expect(scale.high).toBeGreaterThan(Math.max(speed.high, band));
    }
  });

  it('leaves out the reference and other arithmetic', () => {
    const timing = recordedTiming('other-arithmetic');
    const { programs } = layoutIntervals(timing)!;
    expect(programs.some(({ row }) => row.role === 'reference')).toBe(false);
    expect(programs.some(({ isOther }) => isOther)).toBe(false);
  });

  it('is none where nothing was compared', () => {
    const timing = { ...recordedTiming('benchmark'), speeds: [] };
    expect(layoutIntervals(timing)).toBeNull();
  });
});

describe('the cache states', () => {
  it('are those in which both programs were timed, cold first', () => {
    const found = inCacheStates(recordedTiming('benchmark'));
    expect(found[0]?.cache_state).toBe('cold');
    expect(inCacheStates({ ...recordedTiming('benchmark'), rows: [] })).toEqual(
      []
    );
  });
});
