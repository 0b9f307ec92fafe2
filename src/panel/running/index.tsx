import * as React from 'react';

import { useUnresponsive } from '../../ui/useUnresponsive';
import { stageName, upperFirst } from '../../ui/words';
import { formatSeconds } from '../../ui/format';
import { IRun } from '../../tokens';
import { goToWords } from '../words';
import { Notice } from '../notice/notice';
import { ISectionProps } from '../props';

interface IRunningProps extends ISectionProps {
  run: IRun;
}

/** The run that goes on. Only its stage is announced, never a tick. */
export function Running({
  run,
  actions,
  trans
}: IRunningProps): React.JSX.Element {
  const { report, cell } = run;
  const [cancelled, setCancelled] = React.useState(false);
  const ignored = useUnresponsive(cancelled);
  const stages = report.stages ?? [];
  const now = stages.find(({ state }) => state === 'running');
  const doing = upperFirst(report.doing ?? '') || trans.__('Running');
  const name = report.problem.name;
  const done = now?.done ?? 0;
  const total = now?.total ?? 0;
  const title = trans.__('%1: %2', doing, name);
  return (
    <div className="jp-KernelPanel-body jp-KernelPanel-running">
      <span className="jp-KernelPanel-hidden" role="status">
        {title}
      </span>
      <Notice appearance={{ tone: 'running', shape: 'running' }} title={title}>
        <progress
          aria-label={doing}
          {...(total > 0 ? { max: total, value: done } : {})}
        />
        <p className="jp-KernelPanel-quiet">
          {stages
            .map(stage => {
              const seconds = stage.seconds ?? 0;
              const evidence =
                stage === now && total > 0
                  ? stage.count
                  : seconds > 0
                    ? stage.took || formatSeconds(seconds)
                    : '';
              return `${stageName(stage.name, trans)} ${evidence}`.trim();
            })
            .join(' · ')}
        </p>
        <p className="jp-KernelPanel-quiet">
          {trans.__(
            '%1 elapsed',
            formatSeconds(Math.round(report.elapsed_s ?? 0))
          )}
        </p>
        <div className="jp-KernelPanel-bar">
          <button
            aria-label={trans.__('Cancel the run of %1', name)}
            aria-disabled={cancelled}
            onClick={() => {
              if (!cancelled) {
                setCancelled(true);
                actions.cancel(run.id);
              }
            }}
          >
            {cancelled ? trans.__('Cancelling') : trans.__('Cancel')}
          </button>
          {ignored && (
            <button
              title={trans.__(
                'The kernel has not stopped; a restart ends the run'
              )}
              onClick={() => actions.restartKernel()}
            >
              {trans.__('Restart kernel')}
            </button>
          )}
          {cell && (
            <button
              className="jp-mod-link"
              onClick={() => actions.goToRun(run.id)}
            >
              {goToWords(cell, trans)}
            </button>
          )}
        </div>
      </Notice>
    </div>
  );
}
