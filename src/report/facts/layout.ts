/**
 * The small charts of the facts Faster? and Limit?.
 *
 * In: a report's timing. Out: scales, and where the limit lies, in percent.
 */
import { headline, limitOf, nameOf, shareOf } from '../../model/speed';
import type { IPeakRate, IShare, ISpeed, ITiming } from '../../model/types';
import { linear, ratios, spaced, type IScale } from '../../ui/charts/scale';

export interface IRatioLayout {
  readonly speed: ISpeed;
  readonly scale: IScale;
  /** The same with as many ticks as have room for their labels. */
  readonly axis: IScale;
}

/** The ratio with its interval and the noise; null where there is no verdict on it. */
export function layoutRatio(timing: ITiming): IRatioLayout | null {
  const speed = headline(timing);
  if (!speed || speed.verdict === null) {
    return null;
  }
  const { low, high, band } = speed;
  const reach = Math.max(high, 1 / low, band);
  const room = Math.max(1.005, reach ** 0.4);
  const scale = ratios(
    Math.min(1 / band, low) / room,
    Math.max(band, high) * room
  );
  return { speed, scale, axis: spaced(scale, 24, 1) };
}

export interface ILimitLayout {
  readonly peak: IPeakRate;
  readonly share: IShare;
  /** Of the peak, and of the rate that was reached, in percent. */
  readonly peakX: number;
  readonly rateX: number;
}

/** The rate of the candidate up to the peak that sets its limit; null where one is not known. */
export function layoutLimit(timing: ITiming): ILimitLayout | null {
  const name = nameOf(timing, 'candidate');
  const peak = limitOf(timing.limit, 'forward')?.peak;
  const share = name !== null ? shareOf(timing.limit, name, 'forward') : null;
  if (!peak || !share) {
    return null;
  }
  const scale = linear(0, Math.max(peak.rate, share.rate) * 1.1, false);
  return {
    peak,
    share,
    peakX: scale.at(peak.rate),
    rateX: scale.at(share.rate)
  };
}
