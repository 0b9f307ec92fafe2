/**
 * Two runs side by side, in words: in the panel, and in a cell of the notebook.
 *
 * In: two runs, the earlier one first. Out: rows of texts. Not here: the
 * difference of their programs (`lineDiff`).
 */

import { formatRatio } from './format';
import { isSameWork, reached } from './reached';
import type { Trans } from './trans';
import { IListedRun, resultWords } from './words';

export interface IComparison {
  /** "Run 2 against run 1". */
  readonly title: string;
  /** Each a name, both runs, and what changed; a row that neither run has is left out. */
  readonly rows: readonly (readonly string[])[];
  /** How far the times compare; empty if one run has none. */
  readonly note: string;
  readonly isSameProgram: boolean;
}

export function comparisonOf(
  before: IListedRun,
  after: IListedRun,
  trans: Trans
): IComparison {
  const isSameProgram =
    before.report.candidate.source_sha256 ===
    after.report.candidate.source_sha256;
  return {
    title: trans.__('Run %1 against run %2', after.number, before.number),
    rows: [
      ...resultRows(before, after, trans),
      ...speedRows(before, after, trans),
      sourceRow(before, after, isSameProgram, trans)
    ].filter(([, ...cells]) => cells.some(cell => cell !== '')),
    note: timesNote(before, after, trans),
    isSameProgram
  };
}

function resultRows(
  before: IListedRun,
  after: IListedRun,
  trans: Trans
): string[][] {
  const change = (was: string, is: string) =>
    was !== '' && was === is ? trans.__('the same') : '';
  const row = (name: string, words: (run: IListedRun) => string) => {
    const [was, is] = [words(before), words(after)];
    return [name, was, is, change(was, is)];
  };
  return [
    row(trans.__('Result'), run => resultWords(run, trans)),
    row(trans.__('Cases'), ({ report }) => report.cases_conclusion),
    row(trans.__('Largest error'), ({ report }) => largestError(report))
  ];
}

/** As the report writes it; empty if it writes none, and of a program that is wrong: what passed says nothing of that. */
export function largestError({ cases, verdict }: IListedRun['report']): string {
  if (verdict?.outcome !== 'pass') {
    return '';
  }
  const size = ({ error_units, max_ulp }: (typeof cases)[number]) =>
    error_units ?? max_ulp ?? -1;
  const [worst] = [...cases].sort((a, b) => size(b) - size(a));
  return worst && size(worst) >= 0 ? worst.error : '';
}

function speedRows(
  before: IListedRun,
  after: IListedRun,
  trans: Trans
): string[][] {
  const [was, is] = [reached(before.report), reached(after.report)];
  const isSame = isSameWork(before.report, after.report);
  return [
    [
      trans.__('Time'),
      was.time,
      is.time,
      was.seconds !== null && is.seconds !== null && isSame
        ? speedup(was.seconds / is.seconds, trans)
        : ''
    ],
    [trans.__('Against eager'), was.against, is.against, ''],
    [
      trans.__('Of limit'),
      was.share,
      is.share,
      was.share && is.share && isSame ? points(was.share, is.share, trans) : ''
    ]
  ];
}

function sourceRow(
  before: IListedRun,
  after: IListedRun,
  isSame: boolean,
  trans: Trans
): string[] {
  const lines = ({ report }: IListedRun) =>
    trans._n('%1 line', '%1 lines', report.candidate.lines);
  return [
    trans.__('Source'),
    lines(before),
    lines(after),
    isSame ? trans.__('the same') : trans.__('changed')
  ];
}

function timesNote(
  before: IListedRun,
  after: IListedRun,
  trans: Trans
): string {
  const [old, now] = [before.report, after.report];
  if ([old, now].some(report => reached(report).seconds === null)) {
    return '';
  }
  return isSameWork(old, now)
    ? trans.__('The times are of two runs, and were not taken in turn.')
    : trans.__(
        'The times do not compare: another problem, shape, dtype or device.'
      );
}

/** "1.63x faster": a ratio of times never falls below 1 in words. */
function speedup(ratio: number, trans: Trans): string {
  return ratio >= 1
    ? trans.__('%1 faster', formatRatio(ratio))
    : trans.__('%1 slower', formatRatio(ratio));
}

/** Between the shares as they are shown, or the columns would not add up. */
function points(was: string, is: string, trans: Trans): string {
  const [before, after] = [parseInt(was, 10), parseInt(is, 10)];
  const sign = after > before ? '+' : after < before ? '−' : '';
  return trans.__('%1%2 points', sign, Math.abs(after - before));
}
