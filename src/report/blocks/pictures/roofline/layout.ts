/**
 * The roofline's geometry: speed over operations a byte, both axes logarithmic.
 *
 * In: a report's timing. Out: where axes, peaks, programs and labels lie: `x` in
 * percent of the width, `y` in px. Not here: what labels say.
 */
import {
  contestants,
  limitOf,
  shareOf,
  type IContestant
} from '../../../../model/speed';
import type { IPeakRate, IShare, ITiming } from '../../../../model/types';
import { logarithmic, type IScale } from '../../../../ui/charts/scale';

/** Of the plot, in px and in percent of the width. */
export const [TOP, BOTTOM, LEFT] = [14, 172, 9];
/** Labels closer than this would lie on each other. */
const LINE = 13;
/** The label of a peak, below it, and that of the candidate. */
export const BELOW = 12;
const BELOW_POINT = 15;
const MAX_TICKS_Y = 6;

export interface ITick {
  readonly value: number;
  readonly at: number;
}

/** A peak that lies on another has no label of its own. */
export interface IPeakLine {
  readonly peak: IPeakRate;
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
  /** Below the right end of a level peak; below a point of a slope. */
  readonly label:
    | { readonly kind: 'end'; readonly y: number }
    | { readonly kind: 'slope'; readonly x: number; readonly y: number }
    | null;
}

export interface IPoint {
  readonly one: IContestant;
  readonly share: IShare;
  readonly flopsPerS: number;
  readonly x: number;
  readonly y: number;
  /** Where its label goes, and to which side of it there is room. */
  readonly labelY: number;
  readonly labelSide: 'left' | 'right';
}

export interface IRooflineLayout {
  /** FLOP per byte that the work needs. */
  readonly intensity: number;
  readonly xTicks: readonly (ITick & { readonly isLast: boolean })[];
  readonly yTicks: readonly ITick[];
  readonly peaks: readonly IPeakLine[];
  /** The candidate first. */
  readonly points: readonly IPoint[];
}

interface IProgram {
  readonly one: IContestant;
  readonly share: IShare;
  readonly flopsPerS: number;
}

interface IPeakRates {
  readonly memory: readonly IPeakRate[];
  readonly compute: readonly IPeakRate[];
}

/** Of the forward calls; null where there is nothing to compare. */
export function layoutRoofline(timing: ITiming): IRooflineLayout | null {
  const { limit } = timing;
  const bound = limitOf(limit, 'forward')?.bound;
  if (!limit || !bound || bound.flops === 0 || bound.bytes === 0) {
    return null;
  }
  const peaks: IPeakRates = {
    memory: limit.peak_rates.filter(({ unit }) => unit === 'B/s'),
    compute: limit.peak_rates.filter(({ unit }) => unit === 'FLOP/s')
  };
  const programs = contestants(timing, 'forward', 'cold').flatMap(one => {
    const share = shareOf(limit, one.row.program, 'forward');
    const { median_s } = one.row;
    return share && median_s > 0
      ? [{ one, share, flopsPerS: bound.flops / median_s }]
      : [];
  });
  if (peaks.memory.length === 0 || programs.length === 0) {
    return null;
  }
  const intensity = bound.flops / bound.bytes;
  const plot = plotOf(intensity, peaks, programs);
  const spans = spansOf(peaks, plot);
  const levels = spans
    .filter(({ peak, hasLabel }) => hasLabel && peak.unit === 'FLOP/s')
    .map(({ peak }) => plot.y(peak.rate) + BELOW);
  const points = programs.map(program =>
    pointOf(program, intensity, plot, levels)
  );
  const taken = [...levels, ...points.slice(0, 1).map(({ labelY }) => labelY)];
  return {
    intensity,
    ...ticksOf(plot),
    peaks: spans.map(span => peakLine(span, plot, taken)),
    points
  };
}

/** The axes, and where a value lies. */
interface IPlot {
  readonly xScale: IScale;
  readonly yScale: IScale;
  readonly x: (intensity: number) => number;
  readonly y: (flopsPerS: number) => number;
}

/** Whole decades around the work and the ridge, and up to the highest peak. */
function plotOf(
  intensity: number,
  { memory, compute }: IPeakRates,
  programs: readonly IProgram[]
): IPlot {
  const slope = Math.max(...memory.map(({ rate }) => rate));
  const ceiling = Math.max(0, ...compute.map(({ rate }) => rate));
  const ridge = ceiling / slope;
  const speeds = programs.map(({ flopsPerS }) => flopsPerS);
  const xScale = logarithmic(
    decade(Math.min(intensity, ridge || intensity) / 3, Math.floor),
    decade(Math.max(intensity, ridge) * 3, Math.ceil)
  );
  const yScale = logarithmic(
    decade(Math.min(...speeds) / 3, Math.floor),
    Math.max(ceiling, slope * intensity, ...speeds) * 2
  );
  return {
    xScale,
    yScale,
    x: value => LEFT + (xScale.at(value) / 100) * (100 - LEFT),
    y: value => BOTTOM - (yScale.at(value) / 100) * (BOTTOM - TOP)
  };
}

function ticksOf({ xScale, yScale, x, y }: IPlot) {
  const every = Math.ceil(yScale.ticks.length / MAX_TICKS_Y);
  return {
    xTicks: xScale.ticks.map(value => ({
      value,
      at: x(value),
      isLast: value === xScale.high
    })),
    yTicks: yScale.ticks
      .filter((_, n) => n % every === 0)
      .map(value => ({ value, at: y(value) }))
  };
}

/** A peak from where it begins to where it ends, in FLOP per byte. */
interface ISpan {
  readonly peak: IPeakRate;
  readonly from: number;
  readonly to: number;
  readonly hasLabel: boolean;
}

/** Of peaks that would write over each other the first keeps its label. */
function spansOf({ memory, compute }: IPeakRates, plot: IPlot): ISpan[] {
  const { xScale, yScale } = plot;
  const slanted = memory.map(peak => ({
    peak,
    from: Math.max(xScale.low, yScale.low / peak.rate),
    to: Math.min(xScale.high, highest(compute, peak) / peak.rate)
  }));
  const level = compute.map(peak => ({
    peak,
    from: peak.rate / highest(memory, peak),
    to: xScale.high
  }));
  return [slanted, level].flatMap(spans => {
    const taken: number[] = [];
    return spans.map(span => {
      const y = plot.y(heightOf(span.peak, xScale.low));
      const hasLabel = taken.every(other => Math.abs(other - y) >= LINE);
      if (hasLabel) {
        taken.push(y);
      }
      return { ...span, hasLabel };
    });
  });
}

/** The highest of the other kind, measured as this one or as this one not. */
function highest(others: readonly IPeakRate[], { vendor }: IPeakRate): number {
  const alike = others.filter(other => other.vendor === vendor);
  const rates = (alike.length > 0 ? alike : others).map(({ rate }) => rate);
  return rates.length > 0 ? Math.max(...rates) : Infinity;
}

function peakLine(
  span: ISpan,
  plot: IPlot,
  taken: readonly number[]
): IPeakLine {
  const { peak, from, to, hasLabel } = span;
  return {
    peak,
    x1: plot.x(from),
    x2: plot.x(to),
    y1: plot.y(heightOf(peak, from)),
    y2: plot.y(heightOf(peak, to)),
    label: hasLabel ? labelOf(span, plot, taken) : null
  };
}

/** Below the right end of a level peak, or below a slope where there is most room. */
function labelOf(
  { peak, from, to }: ISpan,
  plot: IPlot,
  taken: readonly number[]
): IPeakLine['label'] {
  if (peak.unit === 'FLOP/s') {
    return { kind: 'end', y: plot.y(peak.rate) + BELOW };
  }
  const room = (intensity: number) => {
    const label = plot.y(heightOf(peak, intensity)) + BELOW;
    return Math.min(...taken.map(other => Math.abs(other - label)));
  };
  const [at = from] = Array.from({ length: 11 }, (_, n) => 0.2 + n / 20)
    .map(part => from ** (1 - part) * to ** part)
    .sort((one, other) => room(other) - room(one));
  return { kind: 'slope', x: plot.x(at), y: plot.y(heightOf(peak, at)) };
}

function heightOf({ unit, rate }: IPeakRate, intensity: number): number {
  return unit === 'B/s' ? rate * intensity : rate;
}

/** `levels`: where labels of peaks stand, which reach from the right to the middle. */
function pointOf(
  program: IProgram,
  intensity: number,
  plot: IPlot,
  levels: readonly number[]
): IPoint {
  const [x, y] = [plot.x(intensity), plot.y(program.flopsPerS)];
  return {
    ...program,
    x,
    y,
    labelY: besideRoofs(y, levels),
    labelSide: x < 60 ? 'right' : 'left'
  };
}

/** Where the label of a point goes: below it, and below a peak's label that is there. */
function besideRoofs(point: number, levels: readonly number[]): number {
  const wanted = point + BELOW_POINT;
  const near = levels.filter(label => Math.abs(label - wanted) < LINE);
  return near.length > 0 ? Math.max(...near) + LINE : wanted;
}

/** The power of ten at or beyond a value. */
function decade(value: number, towards: (power: number) => number): number {
  return 10 ** towards(Math.log10(value));
}
