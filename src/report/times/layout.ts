/**
 * Where the bars of the times end, and where their limit stands.
 *
 * In: a report's timing. Out: percent of the chart. Bars are rates where the
 * limit is known, so that they grow towards it; else times.
 */
import {
  contestants,
  limitOf,
  shareOf,
  type IContestant
} from '../../model/speed';
import type {
  ILowerBound,
  IPeakRate,
  IShare,
  ITiming
} from '../../model/types';
import { linear } from '../../ui/charts/scale';

export interface IBar {
  readonly one: IContestant;
  /** Of the limit; null where there is none. */
  readonly share: IShare | null;
  /** The end of its bar, in percent. */
  readonly to: number;
}

export interface ITimesLayout {
  readonly bars: readonly IBar[];
  readonly limit: {
    readonly bound: ILowerBound;
    readonly peak: IPeakRate;
    /** In percent. */
    readonly x: number;
  } | null;
}

/** Of the forward calls; null where none was timed. */
export function layout(timing: ITiming): ITimesLayout | null {
  const programs = contestants(timing, 'forward', 'cold');
  if (programs.length === 0) {
    return null;
  }
  const limit = limitOf(timing.limit, 'forward');
  const found = programs.map(one => {
    const share = limit
      ? shareOf(timing.limit, one.row.program, 'forward')
      : null;
    return {
      one,
      share,
      length: limit ? (share?.rate ?? 0) : one.row.median_s
    };
  });
  const lengths = found.map(({ length }) => length);
  const scale = linear(0, Math.max(limit?.peak.rate ?? 0, ...lengths));
  return {
    bars: found.map(({ length, ...bar }) => ({ ...bar, to: scale.at(length) })),
    limit: limit && { ...limit, x: scale.at(limit.peak.rate) }
  };
}
