import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { hunksOf, IDiffRow } from '../../ui/lineDiff';
import { Own } from '../../ui/own';

interface IDifferenceProps {
  title: string;
  rows: readonly IDiffRow[];
  trans: TranslationBundle;
}

/** The changed lines with those around them, or the whole programs. */
export function DifferenceView(props: IDifferenceProps): React.JSX.Element {
  return (
    <Own tag="kernelgate-difference">
      <div className="jp-KernelDifference">
        <Difference {...props} />
      </div>
    </Own>
  );
}

function Difference({
  title,
  rows,
  trans
}: IDifferenceProps): React.JSX.Element {
  const [isWhole, setWhole] = React.useState(false);
  const count = (sign: string) => rows.filter(row => row.sign === sign).length;
  const { hunks, skippedAfter } = isWhole
    ? { hunks: [{ rows, skipped: 0 }], skippedAfter: 0 }
    : hunksOf(rows);
  const fold = (skipped: number) =>
    skipped > 0 && <Fold key="fold" skipped={skipped} trans={trans} />;
  return (
    <article aria-label={trans.__('Source diff')}>
      <header>
        <h2>{title}</h2>
        <span>
          {trans._n('%1 line added', '%1 lines added', count('+'))}
          {', '}
          {trans._n('%1 removed', '%1 removed', count('−'))}
        </span>
        {rows.some(({ sign }) => sign === ' ') && (
          <button
            className="jp-mod-styled jp-mod-reject"
            aria-pressed={isWhole}
            onClick={() => setWhole(!isWhole)}
          >
            {trans.__('Show all lines')}
          </button>
        )}
      </header>
      <div
        className="jp-KernelDifference-rows"
        tabIndex={0}
        role="group"
        aria-label={trans.__('Lines')}
      >
        <table>
          <caption className="jp-KernelDifference-hidden">{title}</caption>
          <thead className="jp-KernelDifference-hidden">
            <tr>
              <th scope="col">{trans.__('Line before')}</th>
              <th scope="col">{trans.__('Line after')}</th>
              <th scope="col">{trans.__('Text')}</th>
            </tr>
          </thead>
          {hunks.map((hunk, n) => (
            <tbody key={n}>
              {fold(hunk.skipped)}
              {hunk.rows.map((row, m) => (
                <Row key={m} row={row} trans={trans} />
              ))}
            </tbody>
          ))}
          {skippedAfter > 0 && <tbody>{fold(skippedAfter)}</tbody>}
        </table>
      </div>
    </article>
  );
}

interface IFoldProps {
  skipped: number;
  trans: TranslationBundle;
}

function Fold({ skipped, trans }: IFoldProps): React.JSX.Element {
  return (
    <tr className="jp-mod-fold">
      <td />
      <td />
      <td>{trans._n('%1 line the same', '%1 lines the same', skipped)}</td>
    </tr>
  );
}

const CLASSES = {
  ' ': undefined,
  '+': 'jp-mod-added',
  '−': 'jp-mod-removed'
};

interface IRowProps {
  row: IDiffRow;
  trans: TranslationBundle;
}

function Row({
  row: { sign, before, after, text, changed },
  trans
}: IRowProps): React.JSX.Element {
  const [from, to] = changed ?? [0, 0];
  return (
    <tr className={CLASSES[sign]}>
      <td>{before}</td>
      <td>{after}</td>
      <td>
        <i aria-hidden="true">{sign}</i>
        {sign !== ' ' && (
          <span className="jp-KernelDifference-hidden">
            {sign === '+' ? trans.__('added:') : trans.__('removed:')}{' '}
          </span>
        )}
        {plain(text.slice(0, from))}
        {to > from && <mark>{plain(text.slice(from, to))}</mark>}
        {plain(text.slice(to))}
      </td>
    </tr>
  );
}

/** What is not seen, or turns the order of what follows around, is written out. */
function plain(text: string): string {
  return text.replace(
    /[^\P{C}\t]|[\p{Zl}\p{Zp}]/gu,
    sign =>
      `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
  );
}
