import * as React from 'react';
import type { IPower } from '../../model/types';
import { Glyph } from '../../ui/glyph';
import { useTrans } from '../../ui/trans';

/** How strong the check was: what a pass of it is worth. */
export function Power({ power }: { power: IPower }): React.JSX.Element {
  const trans = useTrans();
  const words = (
    <>
      <b>{trans.__('Power of the check')}</b>:{' '}
      {power.words || `${power.caught}/${power.total}`}
    </>
  );
  if (power.slipped.length === 0) {
    return <p className="jp-KernelReport-power">{words}</p>;
  }
  return (
    <details className="jp-KernelReport-power" open>
      <summary>{words}</summary>
      <ul
        className="jp-KernelReport-gates"
        aria-label={trans.__('Mutants that it misses')}
      >
        {power.slipped.map((name, n) => (
          <li key={n}>
            <Glyph appearance={{ tone: 'info', shape: 'question' }} small />
            <b>{name}</b>
            <span>{trans.__('not caught')}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
