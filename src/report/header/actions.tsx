import * as React from 'react';
import type { IReport } from '../../model/types';
import { Copy } from './copy';
import { Toolbar } from './toolbar';
import { useView } from '../parts/view';
import { useTrans } from '../../ui/trans';

/** What can be done with a finished report; nothing is drawn where nothing can. */
export function Actions({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { actions, state, summary } = useView();
  const { runAgain, compare } = actions;
  const { label } = report.candidate;
  // The notice above an old report has this button already.
  const isNoticed = state?.isStale || state?.heardAt === null;
  const canRun = runAgain && !isNoticed && !state?.isUnheard;
  if (!canRun && !compare && !summary) {
    return null;
  }
  return (
    <Toolbar name={trans.__('Report actions')}>
      {canRun && (
        <button
          type="button"
          className="jp-KernelReport-button jp-mod-flat"
          aria-label={trans.__('Run again: %1', label)}
          title={trans.__('Run the same once more')}
          onClick={() => runAgain()}
        >
          {trans.__('Run again')}
        </button>
      )}
      {compare && (
        <button
          type="button"
          className="jp-KernelReport-button jp-mod-flat"
          aria-label={trans.__('Compare: %1', label)}
          title={trans.__('Compare with another run of this notebook')}
          onClick={() => compare()}
        >
          {trans.__('Compare')}
        </button>
      )}
      {summary && <Copy report={report} summary={summary} />}
    </Toolbar>
  );
}
