/**
 * The difference of two programs, line by line.
 *
 * In: two texts. Out: rows to draw, and the runs of rows around each change.
 * Not here: how a row looks (`panel/difference`, the comparison cell).
 */

import diffSequences from 'diff-sequences';

import { between } from '../model/between';

/** A line that both programs have, that only the later one has, or only the earlier one. */
export interface IDiffRow {
  readonly sign: ' ' | '+' | '−';
  /** Its number in the earlier program, from 1; null if it is not there. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
  /** Where it differs from the line that it takes the place of: from, to. */
  readonly changed: readonly [number, number] | null;
}

/** Rows that are drawn one below the other, with those around a change. */
export interface IHunk {
  readonly rows: readonly IDiffRow[];
  /** How many rows are left out before it. */
  readonly skipped: number;
}

/** More lines than these are no program that a person reads, and could take seconds. */
const MAX_LINES = 10_000;

/** Rows around a change. */
const CONTEXT = 3;

/** All rows, from the top; null if the texts are too long to compare. */
export function diffRows(before: string, after: string): IDiffRow[] | null {
  const [old, now] = [linesOf(before), linesOf(after)];
  if (old.length + now.length > MAX_LINES) {
    return null;
  }
  const rows: IDiffRow[] = [];
  let [n, m] = [0, 0];
  const upTo = (a: number, b: number) => {
    rows.push(...replaced(old.slice(n, a), now.slice(m, b), n, m));
  };
  diffSequences(
    old.length,
    now.length,
    (a, b) => old[a] === now[b],
    (count, a, b) => {
      upTo(a, b);
      for (let k = 0; k < count; k++) {
        rows.push({
          sign: ' ',
          before: a + k + 1,
          after: b + k + 1,
          text: old[a + k] ?? '',
          changed: null
        });
      }
      [n, m] = [a + count, b + count];
    }
  );
  upTo(old.length, now.length);
  return rows;
}

/** What of the rows is drawn while unchanged parts are folded, and how many are left out below. */
export function hunksOf(rows: readonly IDiffRow[]): {
  hunks: IHunk[];
  skippedAfter: number;
} {
  const isNear = new Array<boolean>(rows.length).fill(false);
  rows.forEach(({ sign }, n) => {
    if (sign !== ' ') {
      isNear.fill(true, Math.max(0, n - CONTEXT), n + CONTEXT + 1);
    }
  });
  const hunks: IHunk[] = [];
  let skipped = 0;
  for (let n = 0; n < rows.length;) {
    if (!isNear[n]) {
      skipped++;
      n++;
      continue;
    }
    const end = isNear.indexOf(false, n);
    const to = end < 0 ? rows.length : end;
    hunks.push({ rows: rows.slice(n, to), skipped });
    skipped = 0;
    n = to;
  }
  return { hunks, skippedAfter: skipped };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Lines that go, then those in their place. */
function replaced(
  old: readonly string[],
  now: readonly string[],
  n: number,
  m: number
): IDiffRow[] {
  // Where as many come as go, each takes the place of one.
  const pair = (a: string, b: string | undefined) =>
    old.length === now.length && b !== undefined ? between(a, b) : null;
  return [
    ...old.map((text, k): IDiffRow => {
      const changed = pair(text, now[k]);
      return { sign: '−', before: n + k + 1, after: null, text, changed };
    }),
    ...now.map((text, k): IDiffRow => {
      const changed = pair(text, old[k]);
      return { sign: '+', before: null, after: m + k + 1, text, changed };
    })
  ];
}
