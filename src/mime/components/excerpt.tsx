import * as React from 'react';
import type { IFailure, IPlace } from '../../report/types';
import { useView } from './view';
import { placeWords } from './words';

/** The person's own lines around a place. */
export function Excerpt({ place }: { place: IPlace }): React.JSX.Element {
  const { trans } = useView();
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

/** A certain fix: the line that it changes and how it reads then, or lines to add. */
export function SuggestedFix({
  failure
}: {
  failure: IFailure;
}): React.JSX.Element {
  const { trans } = useView();
  const rows = fixRows(failure);
  const name = trans.__('Suggested fix');
  const added = rows.filter(({ sign }) => sign === '+').length;
  return (
    <figure className="jp-KernelReport-code">
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

interface IFixRow {
  sign: '+' | '−';
  /** Null where the report does not tell the place. */
  line: number | null;
  text: string;
}

function fixRows({ fix, insertion, where }: IFailure): IFixRow[] {
  const old = where?.excerpt.find(({ line }) => line === insertion?.line);
  if (insertion && old && insertion.column > 0) {
    const characters = Array.from(old.text);
    const left = characters.slice(0, insertion.column).join('');
    const right = characters.slice(insertion.column).join('');
    return [
      { sign: '−', line: old.line, text: old.text },
      ...`${left}${insertion.text}${right}`
        .split('\n')
        .map((text, n): IFixRow => ({ sign: '+', line: old.line + n, text }))
    ];
  }
  return (fix ?? '')
    .replace(/\n$/, '')
    .split('\n')
    .map((text, n): IFixRow => {
      const line = insertion?.column === 0 ? insertion.line + n : null;
      return { sign: '+', line, text };
    });
}
