import { recordedTiming } from '../../../model/__tests__/recorded';
import type { IPrediction } from '../../../model/types';
import { layoutShares } from '../layout';

const PREDICTION: IPrediction = {
  device: 'B200',
  program: 'this kernel',
  phase: 'forward',
  seconds: 1e-3,
  assumptions: 'bandwidth of the data sheet',
  time: '',
  words: ''
};

describe('the layout of the shares of the limit', () => {
  it('places each program at its share of the way to the peak', () => {
    const { measured, peakX } = layoutShares(recordedTiming('benchmark'))!;
    for (const { share, x } of measured) {
      expect(x / peakX).toBeCloseTo(share.share, 1);
    }
  });

  it('places a prediction where the work in its time would be', () => {
    const timing = recordedTiming('benchmark');
    const limit = timing.limit!;
    const bound = limit.lower_bounds.find(({ phase }) => phase === 'forward')!;
    const { predicted, peak, peakX } = layoutShares({
      ...timing,
      limit: { ...limit, predictions: [PREDICTION] }
    })!;
    expect(predicted[0]!.x / peakX).toBeCloseTo(
      bound.bytes / PREDICTION.seconds / peak.rate
    );
  });

  it('leaves out predictions of other phases and of no time', () => {
    const timing = recordedTiming('benchmark');
    const predictions = [
      { ...PREDICTION, phase: 'backward' as const },
      { ...PREDICTION, seconds: 0 }
    ];
    const limit = { ...timing.limit!, predictions };
    expect(layoutShares({ ...timing, limit })!.predicted).toEqual([]);
  });

  it('is none where no limit is known', () => {
    const timing = { ...recordedTiming('benchmark'), limit: null };
    expect(layoutShares(timing)).toBeNull();
  });
});
