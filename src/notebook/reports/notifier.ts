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
import { HeadInSight } from './inSight';

export { CallBack, HeadInSight };

/** A shorter run ends before anybody could read its notification. */
const LONG_MS = 5000;

export interface INotifierOptions {
  isWanted: () => boolean;
  /** The views of a notebook, itself among them. */
  views: (notebook: NotebookPanel) => readonly NotebookPanel[];
  callBack: CallBack;
  cancel: (found: IFoundRun) => void;
  show: (found: IFoundRun) => void;
  trans: TranslationBundle;
}

/** What is known of a run that goes on: when it was first seen, and its notification. */
interface IFollowed {
  readonly since: number;
  id?: string;
}

export class RunNotifier {
  constructor(private _options: INotifierOptions) {}

  /** Takes the runs of a notebook as they are now. */
  update(notebook: NotebookPanel, runs: readonly IRun[]): void {
    const followed = this._followed(notebook);
    for (const run of runs) {
      const found = { notebook, run };
      if (run.isRunning) {
        const one = followed.get(run.id) ?? { since: Date.now() };
        followed.set(run.id, one);
        this._follow(found, one);
        continue;
      }
      const one = followed.get(run.id);
      followed.delete(run.id);
      if (one?.id !== undefined) {
        this._end(found, one.id);
      } else if (one) {
        this._sayWhereUnseen(found);
      }
      if (one && isLong(one)) {
        const { callBack, show } = this._options;
        const { title } = run.report;
        callBack.call(title, this._conclusion(found), () => show(found));
      }
    }
  }

  private _followed(notebook: NotebookPanel): Map<string, IFollowed> {
    let followed = this._runs.get(notebook);
    if (!followed) {
      followed = new Map();
      this._runs.set(notebook, followed);
      notebook.disposed.connect(this._forget, this);
    }
    return followed;
  }

  /** A notebook was closed: nobody hears how its runs end. */
  private _forget(notebook: NotebookPanel): void {
    for (const { id } of this._runs.get(notebook)?.values() ?? []) {
      if (id !== undefined) {
        Notification.dismiss(id);
      }
    }
    this._runs.delete(notebook);
  }

  private _follow(found: IFoundRun, followed: IFollowed): void {
    const { run, notebook } = found;
    const message = `${run.report.title}: ${doing(run.report)}`;
    const progress = progressOf(run.report);
    if (followed.id !== undefined) {
      Notification.update({ id: followed.id, message, progress });
    } else if (
      isLong(followed) &&
      this._options.isWanted() &&
      !this._options
        .views(notebook)
        .some(view => isInSight(view, run) || this._isShown(view, run))
    ) {
      const { cancel, trans } = this._options;
      const actions = [
        { label: trans.__('Cancel'), callback: () => cancel(found) },
        this._showAction(found)
      ];
      const options = { autoClose: false as const, progress, actions };
      followed.id = Notification.emit(message, 'in-progress', options);
    }
  }

  private _isShown(view: NotebookPanel, { id }: IRun): boolean {
    return this._runs.get(view)?.get(id)?.id !== undefined;
  }

  private _end(found: IFoundRun, id: string): void {
    const type = TYPES[found.run.report.verdict?.outcome ?? 'not run'];
    Notification.update({ id, type, ...this._ended(found) });
  }

  /** A person who went elsewhere in the notebook hears the verdict all the same. */
  private _sayWhereUnseen(found: IFoundRun): void {
    const { isWanted, views } = this._options;
    const { notebook, run } = found;
    if (
      run.report.verdict &&
      isWanted() &&
      !views(notebook).some(view => isHeadInSight(view, run))
    ) {
      const { message, ...options } = this._ended(found);
      Notification.emit(message, TYPES[run.report.verdict.outcome], options);
    }
  }

  private _ended(found: IFoundRun) {
    return {
      message: `${found.run.report.title}: ${this._conclusion(found)}`,
      autoClose: TOAST_MS,
      actions: [this._showAction(found)]
    };
  }

  private _conclusion({ run }: IFoundRun): string {
    const { trans } = this._options;
    return run.report.verdict?.sentence ?? trans.__('No verdict');
  }

  private _showAction(found: IFoundRun): Notification.IAction {
    const { show, trans } = this._options;
    return { label: trans.__('Show'), callback: () => show(found) };
  }

  /** Of each open notebook, by the id of the run: another one may have a run of the same id. */
  private _runs = new Map<NotebookPanel, Map<string, IFollowed>>();
}

function isLong({ since }: IFollowed): boolean {
  return Date.now() - since >= LONG_MS;
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
function isInSight(view: NotebookPanel, { cell }: IRun): boolean {
  const { content } = view;
  const widget = cell && content.widgets[indexOfCell(content, cell.id)];
  return isNodeInSight(view, widget?.node);
}

/** Whether the headline of its report is. */
function isHeadInSight(view: NotebookPanel, { cell }: IRun): boolean {
  const { content } = view;
  const widget = cell && content.widgets[indexOfCell(content, cell.id)];
  const head = widget?.node.querySelector(
    'kernelgate-report .jp-KernelReport-verdict'
  );
  return isNodeInSight(view, head);
}

function isNodeInSight(
  { content, isVisible }: NotebookPanel,
  node: Element | null | undefined
): boolean {
  if (!isVisible || !node) {
    return false;
  }
  // A cell that Lab has detached has an empty box at the top.
  const shown = node.getBoundingClientRect();
  const sight = content.node.getBoundingClientRect();
  return shown.bottom > sight.top && shown.top < sight.bottom;
}
