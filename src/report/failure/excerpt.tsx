import * as React from 'react';
import { suggestedRows } from '../../model/fix';
import type { IFailure, IPlace } from '../../model/types';
import { useView } from '../parts/view';
import { placeWords } from '../../ui/words';
import { useTrans } from '../../ui/trans';

/** The person's own lines around a place. */
export function Excerpt({ place }: { place: IPlace }): React.JSX.Element {
  const trans = useTrans();
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
            {text}
            {'\n'}
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
  const rows =
    state?.fix?.kind === 'placed' ? state.fix.rows : suggestedRows(failure);
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
        {rows.map(({ sign, line, text }, n) => (
          <span
            key={n}
            className={`jp-KernelReport-line-of-code ${sign === '+' ? 'jp-mod-added' : 'jp-mod-removed'}`}
          >
            <i>
              {sign}
              {line !== null && ` ${line}`}
            </i>
            {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}
