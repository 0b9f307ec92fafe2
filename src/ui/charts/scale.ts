/**
 * From values to places on an axis. In: the ends of an axis, and values. Out:
 * percent of its width, so that a chart stretches with its report.
 */
import { scaleLinear } from 'd3-scale';
import { formatNumber } from '../format';

export interface IScale {
  readonly low: number;
  readonly high: number;
  /** Where values read well, in order. */
  readonly ticks: readonly number[];
  /** In percent of the axis; a value beyond an end stands at it. */
  at(value: number): number;
}

/** No axis has more; what is drawn of a report is bounded, whatever its numbers. */
const MAX_TICKS = 20;

/** Beyond these a difference or a quotient of two numbers may be none. */
const LARGEST = 1e300;
const SMALLEST = 1e-300;

/** Equal differences get equal lengths. The ends move out to ticks if `nice`. */
export function linear(low: number, high: number, nice = true): IScale {
  const scale = scaleLinear([finite(low), finite(high)], [0, 100]);
  const [from, to] = (nice ? scale.nice(4) : scale).domain() as [
    number,
    number
  ];
  return {
    low: from,
    high: to,
    ticks: bounded(scale.ticks(4)),
    at: place(from, to, value => value)
  };
}

/** Equal ratios get equal lengths; ticks at powers of ten. */
export function logarithmic(low: number, high: number): IScale {
  const [from, to] = [positive(low), positive(high)];
  const first = Math.ceil(Math.log10(from) - 1e-9);
  const last = Math.floor(Math.log10(to) + 1e-9);
  const apart = Math.max(1, Math.ceil((last - first + 1) / MAX_TICKS));
  const powers = Array.from({ length: MAX_TICKS }, (_, n) => first + n * apart);
  const ticks = powers.filter(power => power <= last);
  return {
    low: from,
    high: to,
    ticks: ticks.map(power => Number(`1e${power}`)),
    at: place(from, to, value => Math.log10(positive(value)))
  };
}

/** For ratios: logarithmic, "same" among its ticks, and both sides alike. */
export function ratios(low: number, high: number): IScale {
  const reach = Math.max(high, 1 / positive(low));
  const up =
    reach > 2
      ? [2, 5, 10, 20, 50, 100, 200, 500, 1000]
      : linear(1, reach, false).ticks.filter(tick => tick > 1);
  const ticks = [...up.map(tick => 1 / tick).reverse(), 1, ...up];
  return {
    ...logarithmic(low, high),
    ticks: ticks.filter(tick => tick >= low && tick <= high)
  };
}

/** What stands at a tick of ratios; its side of "same" says the direction. */
export function ratioTick(ratio: number): string {
  return `${formatNumber(Math.max(ratio, 1 / ratio), 4)}x`;
}

/** As many ticks as leave room for their labels, so many percent apart; `keep` stays. */
export function spaced(scale: IScale, apart: number, keep?: number): IScale {
  const kept = scale.ticks.filter(tick => tick === keep);
  for (const tick of scale.ticks) {
    const at = scale.at(tick);
    if (kept.every(one => Math.abs(scale.at(one) - at) >= apart)) {
      kept.push(tick);
    }
  }
  return { ...scale, ticks: kept.sort((a, b) => a - b) };
}

function place(low: number, high: number, of: (value: number) => number) {
  const [from, to] = [of(low), of(high)];
  return (value: number): number => {
    const share = (of(finite(value)) - from) / (to - from);
    return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) * 100 : 0;
  };
}

function finite(value: number): number {
  if (!(Math.abs(value) > SMALLEST)) {
    return 0;
  }
  return Math.min(LARGEST, Math.max(-LARGEST, value));
}

function positive(value: number): number {
  return Math.max(SMALLEST, finite(value));
}

/** In a span of few neighbours of floating point some ticks are the same, or beyond the end. */
function bounded(ticks: readonly number[]): number[] {
  return [...new Set(ticks)].filter(Number.isFinite).slice(0, MAX_TICKS);
}
