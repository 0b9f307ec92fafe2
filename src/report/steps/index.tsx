import * as React from 'react';
import { formatSeconds } from '../../ui/format';
import type { IStage } from '../../model/types';
import type { IAppearance } from '../../ui/appearance';
import { Glyph } from '../../ui/glyph';
import { useView } from '../parts/view';
import { stageName } from '../../ui/words';
import { useTrans } from '../../ui/trans';

const APPEARANCES: Partial<Record<IStage['state'], IAppearance>> = {
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
  const trans = useTrans();
  const running = stage.state === 'running';
  const appearance = APPEARANCES[stage.state];
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
      className={appearance ? `jp-mod-${appearance.tone}` : 'jp-mod-todo'}
      aria-current={running ? 'step' : undefined}
    >
      <b>
        {appearance && <Glyph appearance={appearance} small />}{' '}
        {stageName(stage.name, trans)}
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
  const trans = useTrans();
  const { actions } = useView();
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
