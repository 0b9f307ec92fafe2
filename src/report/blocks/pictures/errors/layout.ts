/**
 * How many elements are off by how much, as bars over powers of ten.
 *
 * In: the counts of a report. Out: bars: `x` and `width` in percent, `y` and
 * `height` in px. Not here: what they say.
 */
import type { IValues } from '../../../../model/types';

/** Of the bars, in px. */
export const HEIGHT = 100;
const GAP = 0.12;

export interface IErrorBar {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
  /** Its elements are off by more than 10 to this; null if they are no numbers. */
  readonly power: number | null;
}

export function layout({ counts, lowest, others }: IValues): IErrorBar[] {
  const all = [
    ...counts.map((count, n) => ({ count, power: lowest + n })),
    ...(others > 0 ? [{ count: others, power: null }] : [])
  ];
  const most = Math.max(1, ...all.map(({ count }) => count));
  const side = 100 / all.length;
  return all.map(({ count, power }, n) => {
    // What is there is in sight.
    const height = count > 0 ? Math.max(2, (count / most) * HEIGHT) : 0;
    return {
      x: (n + GAP / 2) * side,
      width: (1 - GAP) * side,
      y: HEIGHT - height,
      height,
      power
    };
  });
}
