/** A run as a row: how it came out, its figures, when, and what can be done with it. */

import { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { IRun } from '../../tokens';
import { IAppearance, appearanceOf } from '../../ui/appearance';
import { largestError } from '../../ui/comparison';
import { clockTime } from '../../ui/format';
import { Glyph } from '../../ui/glyph';
import { reached } from '../../ui/reached';
import { resultWords } from '../../ui/words';
import { ISectionProps } from '../props';
import { goToWords } from '../words';
import { isSaved } from './attempts';

interface IRowProps extends ISectionProps {
  run: IRun;
  /** Null if there is nothing to compare it with. */
  isCompared: boolean | null;
  /** Of the runs of its problem. */
  isBest: boolean;
}

function RunRow({
  run,
  isCompared,
  isBest,
  actions,
  trans
}: IRowProps): React.JSX.Element {
  const { report, cell, number } = run;
  return (
    <tr className={isCompared ? 'jp-mod-selected' : undefined}>
      {isCompared !== null && (
        <td className="jp-mod-narrow">
          <input
            type="checkbox"
            aria-label={trans.__('Compare run %1', number)}
            checked={isCompared}
            onChange={() => actions.toggleCompared(run.id)}
          />
        </td>
      )}
      <th scope="row">
        {report.problem.name}
        <small>
          {trans.__('#%1 · %2', number, startedAt(report.created, trans))}
        </small>
      </th>
      <Result run={run} isBest={isBest} trans={trans} />
      <td>
        {cell ? (
          <button
            className="jp-mod-link"
            aria-label={goToWords(cell, trans)}
            onClick={() => actions.goToRun(run.id)}
          >
            [{cell.prompt ?? ' '}]
          </button>
        ) : (
          <span title={trans.__('No cell shows this run any more')}>–</span>
        )}
        {!run.isRunning && (
          <DeleteButton run={run} actions={actions} trans={trans} />
        )}
      </td>
    </tr>
  );
}

/** The verdict, with the figures of the run, and whose word it is. */
function Result({
  run,
  isBest,
  trans
}: Pick<IRowProps, 'run' | 'isBest' | 'trans'>): React.JSX.Element {
  const { report } = run;
  const sentence = report.verdict?.sentence ?? report.progress ?? '';
  const result = resultWords(run, trans);
  const figures = [reached(report).time, largestError(report)].filter(
    one => one !== ''
  );
  return (
    <td title={sentence}>
      <span className="jp-KernelPanel-result">
        <Glyph appearance={appearanceOfRun(run)} small />
        <span>{result}</span>
      </span>
      {sentence !== result && (
        <small className="jp-KernelPanel-sentence">{sentence}</small>
      )}
      {figures.length > 0 && <small>{figures.join(' · ')}</small>}
      {isBest && <small>{trans.__('best so far')}</small>}
      {isSaved(run) && <small>{trans.__('from the file, not run here')}</small>}
      {run.isStale && <small>{trans.__('older than the cell')}</small>}
    </td>
  );
}

/** A run that did not change is the same object, and is not drawn again. */
export const Row = React.memo(RunRow);

interface IDeleteButtonProps extends ISectionProps {
  run: IRun;
}

function DeleteButton({
  run: { id, number },
  actions,
  trans
}: IDeleteButtonProps): React.JSX.Element {
  return (
    <button
      className="jp-mod-flat jp-KernelPanel-delete"
      aria-label={trans.__('Delete run %1', number)}
      title={trans.__(
        'Take the run and its report out of the notebook; it can be undone'
      )}
      onClick={({ currentTarget }) => {
        keepFocus(currentTarget);
        actions.deleteRun(id);
      }}
    >
      <closeIcon.react tag={null} />
    </button>
  );
}

/** The row goes: the focus passes to the one below it, or above. */
function keepFocus(button: HTMLElement): void {
  const row = button.closest('tr');
  (row?.nextElementSibling ?? row?.previousElementSibling)
    ?.querySelector<HTMLElement>('.jp-KernelPanel-delete')
    ?.focus();
}

function appearanceOfRun(run: IRun): IAppearance {
  if (run.report.state === 'running' && !run.isRunning) {
    return { tone: 'none', shape: 'minus' };
  }
  const appearance = appearanceOf(run.report);
  return isSaved(run) ? { ...appearance, tone: 'none' } : appearance;
}

function startedAt(created: string, trans: TranslationBundle): string {
  const at = new Date(created);
  return Number.isNaN(at.getTime()) ? trans.__('time unknown') : clockTime(at);
}
