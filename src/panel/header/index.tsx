import { refreshIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { ISectionProps } from '../props';

interface IHeaderProps extends ISectionProps {
  /** The notebook in front. */
  name: string | null;
}

export function Header({
  name,
  actions,
  trans
}: IHeaderProps): React.JSX.Element {
  return (
    <div className="jp-KernelPanel-header">
      <h2>{trans.__('KernelGate')}</h2>
      <span title={name ?? undefined}>{name ?? trans.__('no notebook')}</span>
      <button
        className="jp-mod-flat"
        aria-label={trans.__('Refresh device')}
        title={trans.__('Refresh device')}
        disabled={name === null}
        onClick={() => actions.refresh()}
      >
        <refreshIcon.react tag="span" />
      </button>
    </div>
  );
}
