/**
 * Cells: what stands in one, putting one in, and going to one.
 *
 * In: a notebook and texts of ours. Nothing here runs a cell.
 */

import { CodeCell, ICellModel } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';

import { ICatalogue } from '../tokens';

/** Our key in a cell's metadata. */
const KEY = 'kernelgate';

/** What we wrote about a cell into its metadata. */
export interface ICellMark {
  /** The operator whose program was inserted here, or is verified here. */
  operator?: string;
  /** The id of the cell that this one verifies. */
  verify?: string;
}

/** Our mark on a cell. A notebook is data from a stranger: only texts count. */
export function markOf(cell: ICellModel): ICellMark {
  const mark: unknown = cell.getMetadata(KEY);
  const { operator, verify } = (mark ?? {}) as Record<string, unknown>;
  return {
    operator: typeof operator === 'string' ? operator : undefined,
    verify: typeof verify === 'string' ? verify : undefined
  };
}

/** What Verify finds in a cell. */
export type CellContent = 'magic' | 'program' | 'other';

/** A magic of ours verifies by itself; a program is handed over by its cell's id. */
export function readCell(source: string, catalogue: ICatalogue): CellContent {
  const magic = /^\s*%{1,2}(\w+)/.exec(source)?.[1];
  if (
    magic !== undefined &&
    (magic === 'kernelgate' ||
      catalogue.operators.some(operator => operator.magic === magic))
  ) {
    return 'magic';
  }
  return /^class\s+ModelNew\b/m.test(source) ? 'program' : 'other';
}

/** A code cell, as the model takes it; what we write is trusted. */
function codeCell(source: string, mark?: ICellMark) {
  return {
    cell_type: 'code' as const,
    source,
    metadata: { trusted: true, ...(mark ? { [KEY]: { ...mark } } : {}) }
  };
}

/**
 * Puts code below the active cell, or in its place where that is empty. One
 * step for undo; the new cell is active, focused and in sight, and does not run.
 */
export function insertCode(
  notebook: Notebook,
  source: string,
  mark?: ICellMark
): void {
  const shared = notebook.model?.sharedModel;
  if (!shared) {
    return;
  }
  const active = notebook.activeCell;
  const index = notebook.activeCellIndex;
  const isEmpty =
    active instanceof CodeCell &&
    active.model.sharedModel.getSource().trim() === '' &&
    active.model.outputs.length === 0;
  const at = isEmpty ? index : index + 1;
  shared.transact(() => {
    shared.insertCell(at, codeCell(source, mark));
    if (isEmpty) {
      shared.deleteCell(at + 1);
    }
  });
  goToCell(notebook, at);
}

/**
 * Puts code below the cell at `index`, and below the cell that verifies it
 * where that stands there. One step for undo; the new cell is active, focused
 * and in sight, and does not run.
 */
export function insertCodeBelow(
  notebook: Notebook,
  index: number,
  source: string
): void {
  const cell = notebook.widgets[index];
  const next = notebook.widgets[index + 1];
  const isVerified = next && markOf(next.model).verify === cell?.model.id;
  const at = index + (isVerified ? 2 : 1);
  notebook.model?.sharedModel.insertCell(at, codeCell(source));
  goToCell(notebook, at);
}

/**
 * The cell that verifies the cell at `index`: the next one if it is such a
 * cell already, else a new one.
 */
export function verifyCellBelow(
  notebook: Notebook,
  index: number,
  source: string,
  operator?: string
): CodeCell | null {
  const model = notebook.model;
  const verified = model?.cells.get(index);
  if (!model || !verified) {
    return null;
  }
  const mark = { verify: verified.id, ...(operator ? { operator } : {}) };
  const next = notebook.widgets[index + 1];
  if (next instanceof CodeCell && markOf(next.model).verify === verified.id) {
    next.model.setMetadata(KEY, mark);
    if (next.model.sharedModel.getSource() !== source) {
      next.model.sharedModel.setSource(source);
    }
    return next;
  }
  model.sharedModel.insertCell(index + 1, codeCell(source, mark));
  const added = notebook.widgets[index + 1];
  return added instanceof CodeCell ? added : null;
}

/** The index of a cell by its id; -1 where there is none. */
export function indexOfCell(notebook: Notebook, id: string): number {
  return notebook.widgets.findIndex(cell => cell.model.id === id);
}

/** Makes a cell the active one, focused and in sight; `line` counts from 1. */
export function goToCell(
  notebook: Notebook,
  index: number,
  options: { line?: number; align?: 'smart' | 'top-center' } = {}
): void {
  notebook.mode = 'command';
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  notebook.activate();
  const { line, align = 'smart' } = options;
  // A cell that was never in sight is laid out first, which fails if it goes.
  notebook.scrollToItem(index, align).catch(() => undefined);
  const editor = notebook.activeCell?.editor;
  if (line !== undefined && editor && line >= 1 && line <= editor.lineCount) {
    notebook.mode = 'edit';
    editor.setCursorPosition({ line: line - 1, column: 0 });
    editor.revealPosition({ line: line - 1, column: 0 });
  }
}
