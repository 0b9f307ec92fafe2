/**
 * The axes of the samples and of the ratios: what they span, and whom they show.
 *
 * In: a report's timing. Out: programs and scales. Where a dot of a strip lies is
 * in `ui/charts/strip`.
 */
import {
  contestants,
  type IContestant,
  type CacheState,
  CACHE_STATES
} from '../../model/speed';
import type { ISpeed, ITiming } from '../../model/types';
import { linear, ratios, type IScale } from '../../ui/charts/scale';

/** Programs that lie further from the candidate are written at the edge. */
const NEAR = 1.1;
/** Samples further from the quartiles, in interquartile ranges, do not widen the axis. */
const REACH_IQR = 6;

export interface ISamplesLayout {
  readonly programs: readonly IContestant[];
  /** Of seconds. */
  readonly scale: IScale;
}

/** All samples of the forward calls; null where none was timed. */
export function layoutSamples(timing: ITiming): ISamplesLayout | null {
  const programs = contestants(timing, 'forward', 'cold');
  return programs.length > 0
    ? { programs, scale: sampleScale(programs) }
    : null;
}

/** Around the candidate and what lies near it; around all where nothing does. */
function sampleScale(programs: readonly IContestant[]): IScale {
  const ours = programs[0]?.row.median_s ?? 0;
  const near = programs.filter(
    ({ row }) => row.median_s < ours * NEAR && row.median_s > ours / NEAR
  );
  const shown = near.length > 1 ? near : programs;
  // A few samples far out must not press all others into one line.
  const ends = shown.flatMap(({ row }) => {
    const reach = REACH_IQR * (row.q3_s - row.q1_s);
    const inside = row.samples_s.filter(
      sample => sample > row.q1_s - reach && sample < row.q3_s + reach
    );
    return [Math.min(row.q1_s, ...inside), Math.max(row.q3_s, ...inside)];
  });
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return high > low ? linear(low, high) : linear(low * 0.9, high * 1.1 || 1);
}

export interface ICompared extends IContestant {
  readonly speed: ISpeed;
}

export interface IIntervalsLayout {
  readonly programs: readonly ICompared[];
  /** The reference against itself reaches from 1 / band to band. */
  readonly band: number;
  /** Of ratios. */
  readonly scale: IScale;
}

/** The ratios of the forward calls; null where none was compared. */
export function layoutIntervals(timing: ITiming): IIntervalsLayout | null {
  const programs = contestants(timing, 'forward', 'cold').flatMap(one =>
    one.speed && !one.isOther ? [{ ...one, speed: one.speed }] : []
  );
  const speeds = programs.map(({ speed }) => speed);
  if (speeds.length === 0) {
    return null;
  }
  const band = Math.max(...speeds.map(one => one.band));
  const span = Math.max(
    ...speeds.flatMap(({ low, high }) => [high, 1 / low, band])
  );
  // To scale on both sides of "same": a gain and a loss get equal lengths.
  const low = Math.min(1 / band, ...speeds.map(one => one.low));
  const high = Math.max(band, ...speeds.map(one => one.high));
  const room = span ** 0.15;
  return { programs, band, scale: ratios(low / room, high * room) };
}

export interface IInCacheState {
  readonly cache_state: CacheState;
  readonly ours: IContestant;
  readonly theirs: IContestant;
}

/** The cache states that both programs were timed in. */
export function inCacheStates(timing: ITiming): IInCacheState[] {
  return CACHE_STATES.flatMap(cache_state => {
    const programs = contestants(timing, 'forward', cache_state);
    const ours = programs.find(({ row }) => row.role === 'candidate');
    const theirs = programs.find(({ row }) => row.role === 'reference');
    return ours && theirs ? [{ cache_state, ours, theirs }] : [];
  });
}
