import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { formatRatio } from '../../ui/format';
import { isSameWork, reached } from './reached';
import { resultWords } from '../words';
import { INumberedRun } from './number';

interface IComparisonProps {
  /** The earlier one first; one or two. */
  runs: readonly INumberedRun[];
  /** There is no other run to choose. */
  isAlone: boolean;
  trans: TranslationBundle;
}

/** Two runs side by side; with one, how to come to two. */
export function Comparison({
  runs,
  isAlone,
  trans
}: IComparisonProps): React.JSX.Element | null {
  const [before, after] = runs;
  if (!before) {
    return null;
  }
  // The focus goes here when a report asks for it.
  return (
    <section
      className="jp-KernelPanel-comparison"
      aria-label={trans.__('Comparison')}
      tabIndex={-1}
    >
      {after ? (
        <Table before={before} after={after} trans={trans} />
      ) : (
        <p className="jp-KernelPanel-quiet">
          {isAlone
            ? trans.__('This is the only run of the notebook so far.')
            : trans.__(
                'Select another run to compare with run %1.',
                before.number
              )}
        </p>
      )}
    </section>
  );
}

interface ITableProps {
  before: INumberedRun;
  after: INumberedRun;
  trans: TranslationBundle;
}

function Table({ before, after, trans }: ITableProps): React.JSX.Element {
  const note = timesNote(before, after, trans);
  return (
    <>
      <table className="jp-KernelPanel-runs">
        <caption>
          {trans.__('Run %1 against run %2', after.number, before.number)}
        </caption>
        <thead>
          <tr>
            <td />
            <th scope="col">#{before.number}</th>
            <th scope="col">#{after.number}</th>
            <th scope="col">{trans.__('Change')}</th>
          </tr>
        </thead>
        <tbody>
          {comparisonRows(before, after, trans).map(([name, ...cells]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell, n) => (
                <td key={n}>{cell || '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {note && <p className="jp-KernelPanel-quiet">{note}</p>}
    </>
  );
}

/** A name, both runs, and what changed; a row that neither run has is left out. */
function comparisonRows(
  before: INumberedRun,
  after: INumberedRun,
  trans: TranslationBundle
): string[][] {
  const [old, now] = [before.run.report, after.run.report];
  const [was, is] = [reached(old), reached(now)];
  const isSame = isSameWork(old, now);
  const lines = (count: number) => trans._n('%1 line', '%1 lines', count);
  return [
    [
      trans.__('Result'),
      resultWords(before.run, trans),
      resultWords(after.run, trans),
      ''
    ],
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
    ],
    [
      trans.__('Source'),
      lines(old.candidate.lines),
      lines(now.candidate.lines),
      old.candidate.source_sha256 === now.candidate.source_sha256
        ? trans.__('the same')
        : trans.__('changed')
    ]
  ].filter(([, ...cells]) => cells.some(cell => cell !== ''));
}

/** How far the times compare; empty where one run has none. */
function timesNote(
  before: INumberedRun,
  after: INumberedRun,
  trans: TranslationBundle
): string {
  const [old, now] = [before.run.report, after.run.report];
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
function speedup(ratio: number, trans: TranslationBundle): string {
  return ratio >= 1
    ? trans.__('%1 faster', formatRatio(ratio))
    : trans.__('%1 slower', formatRatio(ratio));
}

/** Between the shares as they are shown, or the columns would not add up. */
function points(was: string, is: string, trans: TranslationBundle): string {
  const [before, after] = [parseInt(was, 10), parseInt(is, 10)];
  const sign = after > before ? '+' : after < before ? '−' : '';
  return trans.__('%1%2 points', sign, Math.abs(after - before));
}
