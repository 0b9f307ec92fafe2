import * as React from 'react';
import type { IPlace } from '../../report/types';
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

/** Lines to add as they stand. */
export function SuggestedFix({ fix }: { fix: string }): React.JSX.Element {
  const { trans } = useView();
  const lines = fix.replace(/\n$/, '').split('\n');
  const name = trans.__('Suggested fix');
  return (
    <figure className="jp-KernelReport-code">
      <figcaption>
        <b>{name}</b>
        <span>
          {trans._n('%1 line to add', '%1 lines to add', lines.length)}
        </span>
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        {lines.map((line, n) => (
          <span key={n} className="jp-KernelReport-line-of-code jp-mod-added">
            <i>+</i>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}
