import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { useUnresponsive } from '../../ui/useUnresponsive';
import { stageName } from '../../ui/words';
import { formatSeconds } from '../../ui/format';
import type { IStage } from '../../model';
import { IRun } from '../../tokens';
import { goToWords } from '../words';
import { Notice } from '../notice/notice';
import { ISectionProps } from '../props';

interface IRunningProps extends ISectionProps {
  run: IRun;
}

/** The run that goes on. Only its stage is announced, never a tick. */
export function Running(props: IRunningProps): React.JSX.Element {
  const { trans } = props;
  const { report } = props.run;
  const now = report.stages.find(({ state }) => state === 'running');
  const doing = report.doing || trans.__('running');
  const title = trans.__('%1: %2', report.problem.name, doing);
  return (
    <div className="jp-KernelPanel-body jp-KernelPanel-running">
      <span className="jp-KernelPanel-hidden" role="status">
        {title}
      </span>
      <Notice appearance={{ tone: 'running', shape: 'running' }} title={title}>
        <progress
          aria-label={doing}
          {...(now && now.total > 0 ? { max: now.total, value: now.done } : {})}
        />
        <p className="jp-KernelPanel-quiet">
          {report.stages.map(stage => stageWords(stage, trans)).join(' · ')}
        </p>
        <p className="jp-KernelPanel-quiet">
          {trans.__('%1 elapsed', formatSeconds(Math.round(report.elapsed_s)))}
        </p>
        <Buttons {...props} />
      </Notice>
    </div>
  );
}

/** "Check 3/16", "Compile 4.2 s", or the stage alone. */
function stageWords(stage: IStage, trans: TranslationBundle): string {
  const evidence =
    stage.state === 'running' && stage.total > 0
      ? stage.count
      : stage.seconds > 0
        ? stage.took || formatSeconds(stage.seconds)
        : '';
  return `${stageName(stage.name, trans)} ${evidence}`.trim();
}

function Buttons({ run, actions, trans }: IRunningProps): React.JSX.Element {
  const { report, cell } = run;
  const [isCancelled, setCancelled] = React.useState(false);
  const isUnresponsive = useUnresponsive(isCancelled);
  return (
    <div className="jp-KernelPanel-bar">
      <button
        aria-label={trans.__('Cancel the run of %1', report.problem.name)}
        aria-disabled={isCancelled}
        onClick={() => {
          if (!isCancelled) {
            setCancelled(true);
            actions.cancel(run.id);
          }
        }}
      >
        {isCancelled ? trans.__('Cancelling') : trans.__('Cancel')}
      </button>
      {isUnresponsive && (
        <button
          title={trans.__('The kernel has not stopped; a restart ends the run')}
          onClick={() => actions.restartKernel()}
        >
          {trans.__('Restart kernel')}
        </button>
      )}
      {cell && (
        <button className="jp-mod-link" onClick={() => actions.goToRun(run.id)}>
          {goToWords(cell, trans)}
        </button>
      )}
    </div>
  );
}
