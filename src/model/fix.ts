/**
 * A certain fix, placed in a cell: what is shown of it and what is inserted are
 * one datum, made from the text of the cell.
 *
 * In: a failure of a report, which may be a stranger's, and the text of the cell
 * that it names. Out: the place and the rows to show, or why there is none.
 * Nothing here changes a cell.
 */
import { between } from './between';
import type { IEdit, IExcerptLine, IFailure } from './types';

/** A line of the cell that goes, or one that it reads afterwards. */
export interface IFixRow {
  readonly sign: '+' | '−';
  /** From 1; null if the report does not say the place. */
  readonly line: number | null;
  readonly text: string;
}

export type FixPlace =
  | {
      readonly kind: 'placed';
      /** In the cell's text, in units of JavaScript; the text between goes. */
      readonly offset: number;
      readonly end: number;
      readonly text: string;
      /** The first line that reads otherwise afterwards, from 1. */
      readonly line: number;
      /** All that changes, line by line. */
      readonly rows: readonly IFixRow[];
    }
  | {
      readonly kind: 'refused';
      /**
       * differs: the report shows another text than it would insert. hidden: it
       * holds what a page does not show for certain. elsewhere: the cell has no
       * such line, or it reads otherwise than in the report.
       */
      readonly why: 'differs' | 'hidden' | 'elsewhere';
    };

/** Lines of code longer than this are cut in a report. */
const MAX_EXCERPT = 400;

/** Every character is visible where it stands. */
const PLAIN = /^[ -~\n\t]*$/;

/** As many blanks, or empty lines, push what follows out of sight. */
const FAR = /[ \t\n]{40}/;

/** Characters that are not seen, turn the order of others around, or break a line. */
const UNSEEN = /[^\P{C}\t]|[\p{Zl}\p{Zp}]/u;

/** Where a failure's fix goes in the text of its cell; null if it names no place. */
export function placeFix(source: string, failure: IFailure): FixPlace | null {
  const { fix, edit, where } = failure;
  if (!edit) {
    return null;
  }
  if (fix === null || !isWritten(fix, edit.text)) {
    return { kind: 'refused', why: 'differs' };
  }
  const { line, text, replaces } = edit;
  const lines = source.split('\n');
  const count = Math.max(1, replaces);
  const rows = lines.slice(line - 1, line - 1 + count);
  const first = rows.length === count ? rows[0] : undefined;
  const parts = first === undefined ? null : around(first, edit);
  if (!parts || !isAsShown(rows, line, where?.excerpt ?? [])) {
    return { kind: 'refused', why: 'elsewhere' };
  }
  if (
    !PLAIN.test(text) ||
    FAR.test(text) ||
    rows.some(row => UNSEEN.test(row))
  ) {
    return { kind: 'refused', why: 'hidden' };
  }
  const above = lengthOf(lines.slice(0, line - 1));
  const offset = above + parts.left.length;
  // It may begin with line breaks, behind which what it adds stands.
  const breaks = /^\n*/.exec(text)?.[0].length ?? 0;
  return {
    kind: 'placed',
    offset,
    // The last line of a cell has no line break of its own.
    end: replaces ? Math.min(above + lengthOf(rows), source.length) : offset,
    text,
    line: line + breaks,
    rows: rowsOf(edit, rows, parts)
  };
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((n, { length }) => n + length + 1, 0);
}

/** Whether the lines read as the report has them, as far as it shows them. */
function isAsShown(
  rows: readonly string[],
  first: number,
  excerpt: readonly IExcerptLine[]
): boolean {
  return rows.every((row, n) => {
    const shown = excerpt.find(one => one.line === first + n)?.text ?? row;
    return row === shown || row.length >= MAX_EXCERPT;
  });
}

/** The rows of a fix where no cell is at hand: by the report's own excerpt, if that holds the line. */
export function suggestedRows({ fix, edit, where }: IFailure): IFixRow[] {
  const count = Math.max(1, edit?.replaces ?? 1);
  const rows = (where?.excerpt ?? [])
    .filter(({ line }) => edit && line >= edit.line && line < edit.line + count)
    .map(({ text }) => text);
  const first = rows.length === count ? rows[0] : undefined;
  const parts = edit && first !== undefined ? around(first, edit) : null;
  if (edit && parts && isWritten(fix ?? '', edit.text)) {
    return rowsOf(edit, rows, parts);
  }
  return (fix ?? '')
    .replace(/\n$/, '')
    .split('\n')
    .map((text): IFixRow => ({ sign: '+', line: null, text }));
}

/** Where a row that takes the place of another differs from it, in whole words and numbers; null if it is new. */
export function changedTokens(
  rows: readonly IFixRow[],
  row: IFixRow
): [number, number] | null {
  const added = rows.filter(({ sign }) => sign === '+').length;
  const other = rows.find(
    ({ sign, line }) => sign !== row.sign && line === row.line
  );
  const changed =
    other && rows.length === 2 * added ? between(row.text, other.text) : null;
  if (!changed) {
    return null;
  }
  const left = /[\w.]*$/.exec(row.text.slice(0, changed[0]))?.[0] ?? '';
  const right = /^[\w.]*/.exec(row.text.slice(changed[1]))?.[0] ?? '';
  return [changed[0] - left.length, changed[1] + right.length];
}

/** Whether a text is the fix as it is written within a literal: with line breaks around, or escaped ones. */
function isWritten(fix: string, text: string): boolean {
  const bare = (written: string) => written.replace(/^\n|\n$/g, '');
  return [text, text.replace(/\\n/g, '\n')].some(
    written => bare(written) === bare(fix)
  );
}

interface IParts {
  readonly left: string;
  readonly right: string;
}

/** The line before and behind the edit; null if it has no such place. Python counts characters. */
function around(row: string, { column, replaces }: IEdit): IParts | null {
  const characters = Array.from(row);
  if (column > characters.length || (replaces > 0 && column > 0)) {
    return null;
  }
  return {
    left: characters.slice(0, column).join(''),
    right: characters.slice(column).join('')
  };
}

function rowsOf(
  { line, column, text, replaces }: IEdit,
  rows: readonly string[],
  { left, right }: IParts
): IFixRow[] {
  const removed = rows.map((text, n): IFixRow => ({
    sign: '−',
    line: line + n,
    text
  }));
  if (replaces > 0) {
    return [
      ...removed,
      ...addedRows(line, text.replace(/\n$/, ''), text !== '')
    ];
  }
  // Whole lines, above one that stays as it is.
  const isWhole = column === 0 && text.endsWith('\n');
  const added = isWhole ? text.slice(0, -1) : `${left}${text}${right}`;
  return [...(isWhole ? [] : removed), ...addedRows(line, added)];
}

function addedRows(line: number, text: string, isAny = true): IFixRow[] {
  return (isAny ? text.split('\n') : []).map((text, n): IFixRow => ({
    sign: '+',
    line: line + n,
    text
  }));
}
