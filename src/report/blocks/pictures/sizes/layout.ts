/**
 * The curve of ratios over sizes; both axes logarithmic.
 *
 * In: the points of a sweep. Out: where ticks and points lie: `x` in percent of
 * the width, `y` in px. Not here: what they say.
 */
import type { ISweepPoint } from '../../../../model/types';
import {
  logarithmic,
  ratios,
  spaced,
  type IScale
} from '../../../../ui/charts/scale';

export const HEIGHT = 150;
/** Left of the points, for the labels of the ratios, in percent. */
const LEFT = 14;
const MAX_TICKS_X = 8;

export interface ISizesPoint {
  readonly x: number;
  readonly y: number;
  /** Of the ends of its interval. */
  readonly low: number;
  readonly high: number;
  readonly isSlower: boolean;
}

export interface ISizesLayout {
  /** Ratios, with the line of no difference among them. */
  readonly yTicks: readonly { readonly value: number; readonly y: number }[];
  /** Of numbers of elements. */
  readonly xAxis: IScale;
  readonly points: readonly ISizesPoint[];
}

export function layout(points: readonly ISweepPoint[]): ISizesLayout {
  const sizes = points.map(({ elements }) => Math.max(1, elements));
  const x = logarithmic(Math.min(...sizes) / 2, Math.max(...sizes) * 2);
  const span = Math.max(
    1.01,
    ...points.map(({ low, high }) => Math.max(high, 1 / low))
  );
  const y = spaced(ratios(span ** -1.2, span ** 1.2), 14, 1);
  // The scale runs from 0 at the bottom, y downwards.
  const top = (ratio: number) => 8 + (1 - y.at(ratio) / 100) * (HEIGHT - 40);
  const right = (elements: number) =>
    LEFT + (x.at(elements) / 100) * (100 - LEFT);
  const every = Math.ceil(x.ticks.length / MAX_TICKS_X);
  return {
    yTicks: y.ticks.map(value => ({ value, y: top(value) })),
    xAxis: {
      ...x,
      at: right,
      ticks: x.ticks.filter((_, n) => n % every === 0)
    },
    points: points.map(({ ratio, low, high, verdict }, n) => ({
      x: right(sizes[n] ?? 1),
      y: top(ratio),
      low: top(low),
      high: top(high),
      isSlower: verdict === 'SLOWER'
    }))
  };
}
