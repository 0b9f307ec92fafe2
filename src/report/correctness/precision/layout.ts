/**
 * The error of a result between the errors that other arithmetics make.
 *
 * In: a report's precision. Out: where marks and bands lie, in percent of a
 * logarithmic axis. Not here: what they say.
 */
import type { IArithmeticBound, IPrecision } from '../../../model/types';
import { logarithmic, spaced, type IScale } from '../../../ui/charts/scale';

/** Apart, in percent: room for a label. */
const APART = 14;

export interface IBand {
  readonly bound: IArithmeticBound;
  /** From where the finer one ends. */
  readonly x: number;
  readonly width: number;
}

export interface IPrecisionLayout {
  readonly scale: IScale;
  readonly error: number;
  readonly reference: number;
  /** Up to where a result passes. */
  readonly passes: number;
  /** From fine to coarse. */
  readonly bands: readonly IBand[];
}

/** Null where there is nothing to lie between. */
export function layout(precision: IPrecision): IPrecisionLayout | null {
  const { bounds, passes_units, reference_units, units } = precision;
  if (bounds.length < 2) {
    return null;
  }
  const marks = [units, reference_units].filter(one => one > 0);
  const limits = bounds.map(bound => bound.units);
  const scale = spaced(
    // An error of 0 stands at the left end.
    logarithmic(
      Math.min(1, ...marks) / 2,
      Math.max(1, passes_units, ...marks, ...limits) * 2
    ),
    APART
  );
  const ends = limits.map(scale.at);
  return {
    scale,
    error: scale.at(units),
    reference: scale.at(reference_units),
    passes: scale.at(passes_units),
    bands: bounds.map((bound, n) => {
      const [from, to] = [ends[n - 1] ?? 0, ends[n] ?? 0];
      return { bound, x: from, width: Math.max(0, to - from) };
    })
  };
}
