/**
 * The squares of an error map that hold wrong elements.
 *
 * In: a report's map. Out: bars over neighbours that look the same: `x` and
 * widths in percent, `y` and heights in px. Not here: what they say.
 */
import type { IErrorMap } from '../../../../model/types';

/** Of the whole map, and the least of a row of squares, in px. */
const HEIGHT = 128;
const LEAST = 4;
const MOST = 16;

export interface IBar {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  /** No element of it is right. */
  readonly isWhole: boolean;
  /** The row of squares that it is in. */
  readonly row: number;
}

export interface IErrorMapLayout {
  readonly height: number;
  /** Of a row of squares. */
  readonly rowHeight: number;
  readonly bars: readonly IBar[];
}

/** Null where a map has no squares. */
export function layout({ bins }: IErrorMap): IErrorMapLayout | null {
  const columns = Math.max(0, ...bins.map(row => row.length));
  if (columns === 0) {
    return null;
  }
  const rowHeight = Math.min(MOST, Math.max(LEAST, HEIGHT / bins.length));
  const side = 100 / columns;
  return {
    rowHeight,
    height: rowHeight * bins.length,
    bars: bins.flatMap((squares, row) =>
      [...squares.matchAll(/#+|[1-9]+/g)].map(([run], n, all) => ({
        x: (all[n]?.index ?? 0) * side,
        width: run.length * side,
        y: row * rowHeight,
        isWhole: run.startsWith('#'),
        row
      }))
    )
  };
}
