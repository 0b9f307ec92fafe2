/**
 * The comparison of two runs as a Markdown cell: its table, and what changed in
 * the program.
 *
 * In: two runs, whose reports may be a stranger's, and their programs where they
 * are known. Out: Markdown in which their texts are texts: no link, no markup.
 * Nothing here touches a notebook.
 */

import { comparisonOf } from '../../ui/comparison';
import { diffRows, hunksOf, IDiffRow } from '../../ui/lineDiff';
import type { Trans } from '../../ui/trans';
import { IListedRun } from '../../ui/words';

/** A longer difference is read beside the notebook, not in it. */
const MAX_ROWS = 200;

/** A run, and its program; null where that is not known. */
export interface IComparedRun {
  readonly run: IListedRun;
  readonly program: string | null;
}

export function comparisonSource(
  before: IComparedRun,
  after: IComparedRun,
  trans: Trans
): string {
  const { title, rows, note, isSameProgram } = comparisonOf(
    before.run,
    after.run,
    trans
  );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `**${asText(title)}**`,
    '',
    line([
      '',
      asText(`#${before.run.number}`),
      asText(`#${after.run.number}`),
      asText(trans.__('Change'))
    ]),
    line(['---', '---', '---', '---']),
    ...rows.map(cells => line(cells.map(cell => asText(cell) || '–'))),
    ...(note ? ['', asText(note)] : []),
    ...(isSameProgram ? [] : difference(before.program, after.program, trans))
  ].join('\n');
}

function difference(
  before: string | null,
  after: string | null,
  trans: Trans
): string[] {
  const rows =
    before === null || after === null ? null : diffRows(before, after);
  if (!rows) {
    return [];
  }
  const shown = hunksOf(rows).hunks.flatMap(hunk => ['@@', ...hunk.rows]);
  const lines = shown
    .slice(0, MAX_ROWS)
    .map(row => (typeof row === 'string' ? row : rowText(row)));
  const left = shown.length - lines.length;
  // A fence ends at one that is as long: no line of a program may be that.
  const longest = Math.max(
    2,
    ...(lines.join('\n').match(/`+/g) ?? []).map(ticks => ticks.length)
  );
  const fence = '`'.repeat(longest + 1);
  return [
    '',
    `${fence}diff`,
    ...lines,
    fence,
    ...(left > 0
      ? ['', asText(trans._n('%1 more line', '%1 more lines', left))]
      : [])
  ];
}

function rowText({ sign, text }: IDiffRow): string {
  return `${sign === '−' ? '-' : sign}${text.replace(/[\r\u2028\u2029]/g, ' ')}`;
}

/**
 * A text that Markdown shows as it is: what could begin markup, a link or a
 * formula is written as a number of HTML. What is not seen is left out.
 */
function asText(words: string): string {
  return words
    .replace(/\s+/g, ' ')
    .replace(/\p{C}/gu, '')
    .replace(/[^\p{L}\p{N} .,;%()+−–-]/gu, sign => `&#${sign.codePointAt(0)};`)
    .replace(/www\./gi, name => `${name.slice(0, -1)}&#46;`)
    .trim();
}
