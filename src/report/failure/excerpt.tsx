import * as React from 'react';
import { changedTokens, suggestedRows, type IFixRow } from '../../model/fix';
import type { IRunState } from '../../model/reportBus';
import type { IFailure, IPlace } from '../../model/types';
import { useView } from '../parts/view';
import { placeWords } from '../../ui/words';
import { useTrans } from '../../ui/trans';

/** What changes, as it is placed in the cell, or as the report alone says it. */
function rowsOf(
  failure: IFailure,
  state: IRunState | null
): readonly IFixRow[] {
  return state?.fix?.kind === 'placed'
    ? state.fix.rows
    : suggestedRows(failure);
}

/** A line of code, with the part that a fix changes underlined. */
function Code({
  text,
  changed
}: {
  text: string;
  changed: [number, number] | null;
}): React.JSX.Element {
  const [from, to] = changed ?? [0, 0];
  return (
    <>
      {text.slice(0, from)}
      {to > from && <mark>{text.slice(from, to)}</mark>}
      {text.slice(to)}
      {'\n'}
    </>
  );
}

/** The person's own lines around a place; what the fix changes in them is underlined. */
export function Excerpt({
  place,
  failure
}: {
  place: IPlace;
  failure: IFailure;
}): React.JSX.Element {
  const trans = useTrans();
  const { state } = useView();
  const rows = failure.fix === null ? [] : rowsOf(failure, state);
  const changedIn = (line: number, text: string) => {
    const row = rows.find(one => one.sign === '−' && one.line === line);
    return row?.text === text ? changedTokens(rows, row) : null;
  };
  const where = placeWords(place, trans);
  return (
    <figure className="jp-KernelReport-code">
      <figcaption>
        <b>{where}</b>
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={where}>
        {place.excerpt.map(({ line, text, marked }, n) => (
          <span
            key={n}
            className={`jp-KernelReport-line-of-code${marked ? ' jp-mod-marked' : ''}`}
          >
            <i>
              {marked ? '▸' : ''}
              {line}
            </i>
            <Code text={text} changed={changedIn(line, text)} />
          </span>
        ))}
      </pre>
    </figure>
  );
}

/**
 * A certain fix: the line that it changes and how it reads then, or lines to
 * add. All of it is in sight: lines are wrapped, not scrolled.
 */
export function SuggestedFix({
  failure
}: {
  failure: IFailure;
}): React.JSX.Element {
  const trans = useTrans();
  const { state } = useView();
  const rows = rowsOf(failure, state);
  const name = trans.__('Suggested fix');
  const added = rows.filter(({ sign }) => sign === '+').length;
  return (
    <figure className="jp-KernelReport-code jp-mod-wrapped">
      <figcaption>
        <b>{name}</b>
        <span>
          {rows.length > added
            ? trans._n(
                '%1 line changes',
                '%1 lines change',
                rows.length - added
              )
            : trans._n('%1 line to add', '%1 lines to add', added)}
        </span>
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        {rows.map((row, n) => (
          <span
            key={n}
            className={`jp-KernelReport-line-of-code ${row.sign === '+' ? 'jp-mod-added' : 'jp-mod-removed'}`}
          >
            <i>
              {row.sign}
              {row.line !== null && ` ${row.line}`}
            </i>
            <Code text={row.text} changed={changedTokens(rows, row)} />
          </span>
        ))}
      </pre>
    </figure>
  );
}
