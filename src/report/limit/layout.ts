/**
 * How far each program gets towards the limit, and how far another device would.
 *
 * In: a report's timing. Out: percent of the chart, from 0 to the peak.
 */
import {
  contestants,
  limitOf,
  shareOf,
  type IContestant
} from '../../model/speed';
import type {
  IPrediction,
  IPeakRate,
  IShare,
  ITiming
} from '../../model/types';
import { linear, type IScale } from '../../ui/charts/scale';

export interface IMeasured {
  readonly one: IContestant;
  readonly share: IShare;
  /** In percent. */
  readonly x: number;
}

export interface IPredicted {
  readonly one: IPrediction;
  /** In percent. */
  readonly x: number;
}

export interface ISharesLayout {
  readonly peak: IPeakRate;
  readonly peakX: number;
  /** Of the peak's rate. */
  readonly scale: IScale;
  readonly measured: readonly IMeasured[];
  readonly predicted: readonly IPredicted[];
}

/** Of the forward calls; null where no limit is known. */
export function layoutShares(timing: ITiming): ISharesLayout | null {
  const { limit } = timing;
  const found = limitOf(limit, 'forward');
  if (!limit || !found) {
    return null;
  }
  const { peak, bound } = found;
  const measured = contestants(timing, 'forward', 'cold').flatMap(one => {
    const share = shareOf(limit, one.row.program, 'forward');
    return share ? [{ one, share }] : [];
  });
  // What a device would have to move, were its time as predicted.
  const work = peak.unit === 'B/s' ? bound.bytes : bound.flops;
  const predicted = limit.predictions
    .filter(({ phase, seconds }) => phase === 'forward' && seconds > 0)
    .map(one => ({ one, rate: work / one.seconds }));
  const rates = [
    peak.rate,
    ...measured.map(({ share }) => share.rate),
    ...predicted.map(({ rate }) => rate)
  ];
  const scale = linear(0, Math.max(...rates));
  return {
    peak,
    peakX: scale.at(peak.rate),
    scale,
    measured: measured.map(({ one, share }) => ({
      one,
      share,
      x: scale.at(share.rate)
    })),
    predicted: predicted.map(({ one, rate }) => ({ one, x: scale.at(rate) }))
  };
}
