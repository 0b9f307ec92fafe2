import * as React from 'react';
import type { IReport } from '../../model/types';
import { Glyph } from '../../ui/glyph';
import { useView } from '../parts/view';
import { useTrans } from '../../ui/trans';

/** Says that the report speaks of a program that the cell no longer holds. */
export function Stale({ report }: { report: IReport }): React.JSX.Element {
  const trans = useTrans();
  const { actions } = useView();
  const { runAgain } = actions;
  const { label } = report.candidate;
  return (
    <div
      className="jp-KernelReport-stale"
      role="note"
      aria-label={trans.__('Older than the cell')}
    >
      <Glyph appearance={{ tone: 'warn', shape: 'alert' }} small />
      <span>
        <b>{trans.__('Older than the cell.')}</b>{' '}
        {trans.__(
          'The code of %1 was edited after this report, which speaks of the earlier code.',
          label
        )}
      </span>
      {runAgain && (
        <button
          type="button"
          className="jp-KernelReport-button"
          aria-label={trans.__('Run again: %1', label)}
          onClick={() => runAgain()}
        >
          {trans.__('Run again')}
        </button>
      )}
    </div>
  );
}
