/**
 * Which cells of a notebook came with its file, so that a stranger may have
 * written them.
 *
 * In: notebooks as they are opened, and what is run. Out: whether a cell may be
 * run at a press that does not show it. A cell is brought until a person has run
 * it, or has agreed to its text; what this page writes is not. A copy of a
 * brought text is brought as well.
 */

import { ICellModel } from '@jupyterlab/cells';
import {
  INotebookModel,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';

/** The ids of the cells that came with each notebook. */
const brought = new WeakMap<INotebookModel, Set<string>>();

/** What they read, in whichever notebook. */
const texts = new Set<string>();

/** The cells that a person has run or agreed to, or that were written here. */
const accepted = new WeakMap<ICellModel, true>();

/** Follows a notebook from its file on. */
export function followFile({ context }: NotebookPanel): void {
  let isSaving = false;
  const note = () => {
    if (!isSaving && !context.isDisposed) {
      noteBrought(context.model);
    }
  };
  context.saveState.connect((_, state) => {
    isSaving = state === 'started';
  });
  void context.ready.then(note);
  // Read anew, as it is now on disk.
  context.fileChanged.connect(note);
}

/** A cell that a person runs is theirs, whoever wrote it. */
export function followRuns(): void {
  NotebookActions.executionScheduled.connect((_, { cell }) =>
    accept(cell.model)
  );
}

/** All cells of a notebook came with its file. */
export function noteBrought(model: INotebookModel): void {
  const ids = new Set<string>();
  for (const cell of model.cells) {
    const text = cell.sharedModel.getSource();
    if (text.trim() !== '') {
      ids.add(cell.id);
      texts.add(text);
    }
  }
  brought.set(model, ids);
}

export function isBrought(model: INotebookModel, cell: ICellModel): boolean {
  return (
    !accepted.has(cell) &&
    (brought.get(model)?.has(cell.id) === true ||
      texts.has(cell.sharedModel.getSource()))
  );
}

export function accept(cell: ICellModel): void {
  accepted.set(cell, true);
}
