import * as React from 'react';
import { formatSeconds } from '../../report/format';
import type { IStage } from '../../report/types';
import type { ILook } from '../look';
import { Glyph } from './glyph';
import { useView } from './view';
import { stageName } from './words';

const LOOKS: Partial<Record<IStage['state'], ILook>> = {
  passed: { tone: 'pass', shape: 'check' },
  failed: { tone: 'fail', shape: 'cross' },
  running: { tone: 'running', shape: 'running' }
};

/** The stages of a run, with their counts. */
export function Steps({ stages }: { stages: IStage[] }): React.JSX.Element {
  return (
    <ol className="jp-KernelReport-steps">
      {stages.map(stage => (
        <Step key={stage.name} stage={stage} />
      ))}
    </ol>
  );
}

function Step({ stage }: { stage: IStage }): React.JSX.Element {
  const { trans } = useView();
  const running = stage.state === 'running';
  const look = LOOKS[stage.state];
  const count = stage.count || `${stage.done}/${stage.total}`;
  const evidence = [
    stage.seconds > 0 && !running
      ? stage.took || formatSeconds(stage.seconds)
      : '',
    stage.total > 1 ? count : '',
    stage.note
  ].filter(part => part !== '');
  return (
    <li
      className={look ? `jp-mod-${look.tone}` : 'jp-mod-todo'}
      aria-current={running ? 'step' : undefined}
    >
      <b>
        {look && <Glyph look={look} small />} {stageName(stage.name, trans)}
      </b>
      {running && stage.total > 0 && (
        <progress
          max={stage.total}
          value={stage.done}
          aria-label={trans.__('%1, done so far', stageName(stage.name, trans))}
        >
          {count}
        </progress>
      )}
      <span>{evidence.join(', ') || trans.__('waiting')}</span>
    </li>
  );
}

/** How to stop a run. */
export function StepsFooter(): React.JSX.Element {
  const { trans, actions } = useView();
  return (
    <footer className="jp-KernelReport-footer">
      <span>
        {actions.interrupt
          ? trans.__(
              'Press I twice in command mode, or Cancel, to interrupt. Finished stages are kept.'
            )
          : trans.__(
              'Press I twice in command mode to interrupt. Finished stages are kept.'
            )}
      </span>
    </footer>
  );
}
