/**
 * A certain fix, placed in a cell: what is shown of it and what is inserted are
 * one datum, made from the text of the cell.
 *
 * In: a failure of a report, which may be a stranger's, and the text of the cell
 * that it names. Out: the place and the rows to show, or why there is none.
 * Nothing here changes a cell.
 */
import type { IFailure, IInsertion } from './types';

/** A line of the cell that goes, or one that it reads afterwards. */
export interface IFixRow {
  readonly sign: '+' | '−';
  /** From 1; null where the report does not say the place. */
  readonly line: number | null;
  readonly text: string;
}

export type FixPlace =
  | {
      readonly kind: 'placed';
      /** In the cell's text, in units of JavaScript. */
      readonly offset: number;
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

/** Every character of it is seen where it stands. */
const PLAIN = /^[ -~\n\t]*$/;

/** As many blanks, or empty lines, push what follows out of sight. */
const FAR = /[ \t\n]{40}/;

/** Characters that are not seen, turn the order of others around, or break a line. */
const UNSEEN = /[^\P{C}\t]|[\p{Zl}\p{Zp}]/u;

/** Where a failure's fix goes in the text of its cell; null where it names no place. */
export function placeFix(source: string, failure: IFailure): FixPlace | null {
  const { fix, insertion, where } = failure;
  if (!insertion) {
    return null;
  }
  if (fix === null || !isWritten(fix, insertion.text)) {
    return { kind: 'refused', why: 'differs' };
  }
  const { line, text } = insertion;
  const lines = source.split('\n');
  const row = lines[line - 1];
  const shown = where?.excerpt.find(one => one.line === line)?.text ?? row;
  const isCut = (row?.length ?? 0) >= MAX_EXCERPT;
  const parts = row === undefined ? null : around(row, insertion);
  if (row === undefined || !parts || (row !== shown && !isCut)) {
    return { kind: 'refused', why: 'elsewhere' };
  }
  if (!PLAIN.test(text) || FAR.test(text) || UNSEEN.test(row)) {
    return { kind: 'refused', why: 'hidden' };
  }
  const above = lines
    .slice(0, line - 1)
    .reduce((n, { length }) => n + length + 1, 0);
  // It may begin with line breaks, behind which what it adds stands.
  const breaks = /^\n*/.exec(text)?.[0].length ?? 0;
  return {
    kind: 'placed',
    offset: above + parts.left.length,
    text,
    line: line + breaks,
    rows: rowsOf(insertion, row, parts)
  };
}

/** The rows of a fix where no cell is at hand: by the report's own excerpt, if that holds the line. */
export function suggestedRows({ fix, insertion, where }: IFailure): IFixRow[] {
  const row = where?.excerpt.find(one => one.line === insertion?.line)?.text;
  const parts = insertion && row !== undefined ? around(row, insertion) : null;
  if (insertion && parts && isWritten(fix ?? '', insertion.text)) {
    return rowsOf(insertion, row ?? '', parts);
  }
  return (fix ?? '')
    .replace(/\n$/, '')
    .split('\n')
    .map((text): IFixRow => ({ sign: '+', line: null, text }));
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

/** The line before and behind the insertion; null where it is shorter. Python counts characters. */
function around(row: string, { column }: IInsertion): IParts | null {
  const characters = Array.from(row);
  return column > characters.length
    ? null
    : {
        left: characters.slice(0, column).join(''),
        right: characters.slice(column).join('')
      };
}

function rowsOf(
  { line, column, text }: IInsertion,
  row: string,
  { left, right }: IParts
): IFixRow[] {
  // Whole lines, above one that stays as it is.
  const isWhole = column === 0 && text.endsWith('\n');
  const added = isWhole ? text.slice(0, -1) : `${left}${text}${right}`;
  const rows = added
    .split('\n')
    .map((text, n): IFixRow => ({ sign: '+', line: line + n, text }));
  return isWhole ? rows : [{ sign: '−', line, text: row }, ...rows];
}
