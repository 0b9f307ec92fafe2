/**
 * From values to places on an axis. In: the ends of an axis, and values. Out:
 * percent of its width, so that a chart stretches with its report.
 */
import { formatNumber } from '../../report/format';

export interface IScale {
  readonly low: number;
  readonly high: number;
  /** Where values read well, in order. */
  readonly ticks: readonly number[];
  /** In percent of the axis; a value beyond an end stands at it. */
  at(value: number): number;
}

/** Equal differences get equal lengths. The ends move out to ticks if `nice`. */
export function linear(low: number, high: number, nice = true): IScale {
  const step = niceStep((high - low) / 4);
  const [from, to] = nice
    ? [Math.floor(low / step) * step, Math.ceil(high / step) * step]
    : [low, high];
  const ticks: number[] = [];
  for (
    let n = Math.ceil(from / step - 1e-6);
    n * step <= to + step * 1e-6;
    n++
  ) {
    ticks.push(Number((n * step).toPrecision(12)));
  }
  return { low: from, high: to, ticks, at: place(from, to, value => value) };
}

/** Equal ratios get equal lengths; ticks at powers of ten. All values above 0. */
export function logarithmic(low: number, high: number): IScale {
  const ticks: number[] = [];
  for (
    let power = Math.ceil(Math.log10(low) - 1e-9);
    power <= Math.log10(high) + 1e-9;
    power++
  ) {
    ticks.push(Number(`1e${power}`));
  }
  return { low, high, ticks, at: place(low, high, Math.log10) };
}

/** For ratios: logarithmic, "same" among its ticks, and both sides alike. */
export function ratios(low: number, high: number): IScale {
  const reach = Math.max(high, 1 / low);
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
    const share = (of(value) - from) / (to - from);
    return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) * 100 : 0;
  };
}

/** The smallest of 1, 2, 2.5, 5 times a power of ten that is no less. */
function niceStep(step: number): number {
  if (!(step > 0) || !Number.isFinite(step)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 2.5, 5, 10].find(one => one * power >= step * 0.999);
  return (factor ?? 10) * power;
}
