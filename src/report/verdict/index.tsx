import * as React from 'react';
import type { IReport } from '../../model/types';
import { appearanceOf } from '../../ui/appearance';
import { Glyph } from '../../ui/glyph';
import { useUnresponsive } from '../../ui/useUnresponsive';
import { Prose } from '../parts/prose';
import { useView } from '../parts/view';
import { upperFirst } from '../../ui/words';
import { useTrans } from '../../ui/trans';

/**
 * The verdict in words, or, while there is none, what is going on.
 *
 * The live region holds only the words that change when a stage ends, so that a
 * screen reader hears stages and the verdict, and no ticks.
 */
export function Verdict({ report }: { report: IReport }): React.JSX.Element {
  const trans = useTrans();
  const running = report.state === 'running';
  const heading = React.useRef<HTMLHeadingElement>(null);
  const [cancelled, setCancelled] = React.useState(false);

  React.useEffect(() => {
    // The button that had the focus is gone.
    if (!running && cancelled) {
      heading.current?.focus();
      setCancelled(false);
    }
  }, [running, cancelled]);

  const count = running
    ? report.stages.find(({ state }) => state === 'running')?.count
    : '';
  const sentence = running
    ? upperFirst(report.doing) || trans.__('Running')
    : (report.verdict?.sentence ?? trans.__('No verdict'));
  const support = running
    ? [
        report.progress && `${report.progress}.`,
        trans.__('%1 elapsed.', report.took)
      ].filter(part => part !== '')
    : [
        ...(report.verdict?.support ?? []),
        report.kernel_note && `${upperFirst(report.kernel_note)}.`
      ].filter(part => part !== '');
  return (
    <div className="jp-KernelReport-verdict">
      <Glyph appearance={appearanceOf(report)} />
      <div className="jp-KernelReport-words">
        <h4 ref={heading} tabIndex={-1}>
          <span role="status">
            <Prose text={sentence} />
          </span>
          {count && `: ${count}`}
        </h4>
        {support.length > 0 && <p>{support.join(' ')}</p>}
      </div>
      {running && (
        <Cancel pressed={cancelled} onPress={() => setCancelled(true)} />
      )}
    </div>
  );
}

interface ICancelProps {
  pressed: boolean;
  onPress: () => void;
}

function Cancel(props: ICancelProps): React.JSX.Element | null {
  const trans = useTrans();
  const { actions } = useView();
  const { interrupt, restartKernel } = actions;
  const ignored = useUnresponsive(props.pressed);
  if (!interrupt) {
    return null;
  }
  // It stays focusable when pressed, or the focus would fall out of the report.
  return (
    <div className="jp-KernelReport-do">
      <button
        type="button"
        className="jp-KernelReport-button"
        aria-disabled={props.pressed}
        title={
          props.pressed
            ? trans.__('Waiting for the kernel to stop')
            : trans.__('Interrupt the kernel; finished stages are kept')
        }
        onClick={() => {
          if (!props.pressed) {
            props.onPress();
            interrupt();
          }
        }}
      >
        {props.pressed ? trans.__('Cancelling') : trans.__('Cancel')}
      </button>
      {ignored && restartKernel && (
        <button
          type="button"
          className="jp-KernelReport-button"
          title={trans.__('The kernel has not stopped; a restart ends the run')}
          onClick={() => restartKernel()}
        >
          {trans.__('Restart kernel')}
        </button>
      )}
    </div>
  );
}
