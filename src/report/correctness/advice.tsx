import * as React from 'react';
import type { IAdvice } from '../../model/types';
import { useTrans } from '../../ui/trans';

/** Remarks on the program's text. */
export function Advice({ advice }: { advice: IAdvice[] }): React.JSX.Element {
  const trans = useTrans();
  const id = React.useId();
  return (
    <div role="group" aria-labelledby={id}>
      <h4 id={id}>
        {trans.__('Remarks')}{' '}
        <small>
          {trans.__('seen in the program’s text; they decide nothing')}
        </small>
      </h4>
      <ul className="jp-KernelReport-advice">
        {advice.map(({ line, text }, n) => (
          <li key={n}>
            {line === null ? text : trans.__('Line %1: %2', line, text)}
          </li>
        ))}
      </ul>
    </div>
  );
}
