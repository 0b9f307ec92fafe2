/**
 * Keeps the head of a report in sight: when its run starts, and when it ends.
 *
 * In: the runs of the open notebooks, each time they change. Out: the notebook
 * is scrolled, until a person does anything in it themselves. Not here: what is
 * said of a run that is out of sight all the same (`notifier`).
 */

import { NotebookPanel } from '@jupyterlab/notebook';

import { IRun } from '../../tokens';
import { indexOfCell } from '../cells';

/** By any of these a person says where they want to be. */
const GESTURES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** What has to be in sight, in this order: with the last one the first one is seen too. */
const HEAD = ['header', '.jp-KernelReport-verdict'];

/** Of a run that goes on: its head is to be shown yet, was shown at its start, or the person went elsewhere. */
type Followed = Map<string, 'due' | 'shown' | 'left'>;

export class HeadInSight {
  /** Takes the runs of a notebook as they are now. */
  update(notebook: NotebookPanel, runs: readonly IRun[]): void {
    const followed = this._runs.get(notebook) ?? this._follow(notebook);
    for (const run of runs) {
      const state = followed.get(run.id) ?? (run.isRunning ? 'due' : 'left');
      if (!run.isRunning) {
        followed.delete(run.id);
      }
      const isAsked = state === 'due' || (state === 'shown' && !run.isRunning);
      const isShown = isAsked && show(notebook, run);
      if (run.isRunning) {
        followed.set(run.id, isShown ? 'shown' : state);
      }
    }
  }

  private _follow(notebook: NotebookPanel): Followed {
    const followed: Followed = new Map();
    const leave = () => followed.forEach((_, id) => followed.set(id, 'left'));
    for (const gesture of GESTURES) {
      notebook.content.node.addEventListener(gesture, leave, {
        capture: true,
        passive: true
      });
    }
    this._runs.set(notebook, followed);
    return followed;
  }

  private _runs = new WeakMap<NotebookPanel, Followed>();
}

/** Scrolls as little as need be; false where no report is drawn yet. */
function show({ content, isVisible }: NotebookPanel, { cell }: IRun): boolean {
  const widget = cell && content.widgets[indexOfCell(content, cell.id)];
  const report = widget?.node.querySelector('kernelgate-report');
  const head = HEAD.map(one => report?.querySelector(one));
  if (!isVisible || !head.every(one => one)) {
    return false;
  }
  head.forEach(one => one?.scrollIntoView({ block: 'nearest' }));
  return true;
}
