/**
 * Notifications of long runs whose cell is out of sight: how far
 * they are, Cancel, and at the end the verdict.
 *
 * In: the runs of the open notebooks, each time they change. Out: Lab's
 * notifications. Not here: what a press does (`runActions`), and what says the
 * end where the whole page is out of sight (`callBack`).
 */

import { Notification } from '@jupyterlab/apputils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { TranslationBundle } from '@jupyterlab/translation';

import type { IReport } from '../../model';
import { IFoundRun, IRun } from '../../tokens';
import { indexOfCell } from '../cells';
import { TOAST_MS } from '../../ui/toast';
import { CallBack } from './callBack';

export { CallBack };

/** A shorter run ends before anybody could read its notification. */
const LONG_MS = 5000;

export interface INotifierOptions {
  isWanted: () => boolean;
  callBack: CallBack;
  cancel: (found: IFoundRun) => void;
  show: (found: IFoundRun) => void;
  trans: TranslationBundle;
}

export class RunNotifier {
  constructor(private _options: INotifierOptions) {}

  /** Takes the runs of a notebook as they are now. */
  update(notebook: NotebookPanel, runs: readonly IRun[]): void {
    for (const run of runs) {
      const found = { notebook, run };
      // Another notebook may have a run of the same id.
      const key = `${notebook.id} ${run.id}`;
      const id = this._shown.get(key);
      if (run.isRunning) {
        this._follow(found, key, id);
      } else {
        if (id !== undefined) {
          this._end(found, id);
        }
        if (this._isLong(key)) {
          const { callBack, show } = this._options;
          const { title } = run.report;
          callBack.call(title, this._conclusion(found), () => show(found));
        }
        this._shown.delete(key);
        this._since.delete(key);
      }
    }
  }

  private _follow(found: IFoundRun, key: string, id: string | undefined): void {
    const { run, notebook } = found;
    this._since.set(key, this._since.get(key) ?? Date.now());
    if (this._isLong(key)) {
      this._options.callBack.prepare();
    }
    const message = `${run.report.title}: ${doing(run.report)}`;
    const progress = progressOf(run.report);
    if (id !== undefined) {
      Notification.update({ id, message, progress });
    } else if (
      this._isLong(key) &&
      this._options.isWanted() &&
      !isInSight(notebook, run)
    ) {
      const { cancel, trans } = this._options;
      const actions = [
        { label: trans.__('Cancel'), callback: () => cancel(found) },
        this._showAction(found)
      ];
      const options = { autoClose: false as const, progress, actions };
      this._shown.set(key, Notification.emit(message, 'in-progress', options));
    }
  }

  private _end(found: IFoundRun, id: string): void {
    const { title, verdict } = found.run.report;
    Notification.update({
      id,
      message: `${title}: ${this._conclusion(found)}`,
      type: TYPES[verdict?.outcome ?? 'not run'],
      autoClose: TOAST_MS,
      actions: [this._showAction(found)]
    });
  }

  private _conclusion({ run }: IFoundRun): string {
    const { trans } = this._options;
    return run.report.verdict?.sentence ?? trans.__('No verdict');
  }

  private _isLong(key: string): boolean {
    const since = this._since.get(key);
    return since !== undefined && Date.now() - since >= LONG_MS;
  }

  private _showAction(found: IFoundRun): Notification.IAction {
    const { show, trans } = this._options;
    return { label: trans.__('Show'), callback: () => show(found) };
  }

  /** The notification of each run that has one. */
  private _shown = new Map<string, string>();
  /** When each running run was first seen. */
  private _since = new Map<string, number>();
}

const TYPES = {
  pass: 'success',
  fail: 'error',
  unclear: 'warning',
  'not run': 'warning'
} as const;

/** What the run does now, with its count. */
function doing({ doing, stages, progress }: IReport): string {
  const count = stages.find(({ state }) => state === 'running')?.count ?? '';
  return [doing, count].filter(part => part !== '').join(' ') || progress;
}

/** The fraction of the stages that is done, from 0 to 1. */
function progressOf({ stages }: IReport): number {
  const parts = stages.map(({ state, done, total }) =>
    state === 'running' && total > 0
      ? Math.min(done / total, 1)
      : Number(state === 'passed')
  );
  return parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
}

/** Whether the cell of a run is visible. */
function isInSight(
  { content, isVisible }: NotebookPanel,
  { cell }: IRun
): boolean {
  const widget = cell && content.widgets[indexOfCell(content, cell.id)];
  if (!isVisible || !widget) {
    return false;
  }
  // A cell that Lab has detached has an empty box at the top.
  const shown = widget.node.getBoundingClientRect();
  const sight = content.node.getBoundingClientRect();
  return shown.bottom > sight.top && shown.top < sight.bottom;
}
