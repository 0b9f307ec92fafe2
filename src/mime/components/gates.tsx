import * as React from 'react';
import type { IGate } from '../../report/types';
import { lookOfOutcome } from '../look';
import { Glyph } from './glyph';
import { useView } from './view';

/** Properties beyond right values. */
export function Gates({ gates }: { gates: IGate[] }): React.JSX.Element {
  const { trans } = useView();
  const id = React.useId();
  const failed = gates.filter(({ outcome }) => outcome === 'fail');
  const others = gates.filter(({ outcome }) => outcome !== 'fail');
  const words: Record<IGate['outcome'], string> = {
    pass: trans.__('holds'),
    fail: trans.__('fails'),
    unsupported: trans.__('not supported'),
    'not run': trans.__('not run')
  };
  return (
    <div role="group" aria-labelledby={id}>
      <h4 id={id}>
        {trans.__('Gates')}{' '}
        <small>{trans.__('it must behave as the module it replaces')}</small>
      </h4>
      <ul className="jp-KernelReport-gates">
        {[...failed, ...others].map((gate, n) => (
          <li key={n}>
            <Glyph look={lookOfOutcome(gate.outcome)} small />
            <b>{gate.name}</b>
            <span>
              {gate.outcome === 'pass'
                ? gate.message || words.pass
                : [words[gate.outcome], gate.message]
                    .filter(part => part !== '')
                    .join(': ')}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
