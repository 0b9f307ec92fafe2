/**
 * A certain fix, written into a cell: at the place that the report names.
 *
 * In: a cell's text and an insertion, for which the text is what the run had.
 * Out: the offset, and the line to look at. Nothing here changes a cell.
 */

import type { IInsertion } from '../report';

export interface IPlacedFix {
  /** In the text, in units of JavaScript. */
  readonly offset: number;
  readonly text: string;
  /** The first line that reads otherwise afterwards, from 1. */
  readonly line: number;
}

/** Where the insertion goes; null where the text has no such place. */
export function placeFix(
  source: string,
  { line, column, text }: IInsertion
): IPlacedFix | null {
  const lines = source.split('\n');
  const row = lines[line - 1];
  // Python counts characters; half of a surrogate pair is none.
  const characters = row === undefined ? [] : Array.from(row);
  if (row === undefined || column > characters.length) {
    return null;
  }
  const above = lines
    .slice(0, line - 1)
    .reduce((n, { length }) => n + length + 1, 0);
  const left = characters.slice(0, column).join('').length;
  // It may begin with line breaks, behind which what it adds stands.
  const breaks = /^\n*/.exec(text)?.[0].length ?? 0;
  return { offset: above + left, text, line: line + breaks };
}
