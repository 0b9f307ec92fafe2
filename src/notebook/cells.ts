/**
 * Cells: what stands in one, putting one in, and going to one.
 *
 * In: a notebook and texts of ours. Nothing here runs a cell.
 */

import { CodeCell, ICellModel, MarkdownCell } from '@jupyterlab/cells';
import { INotebookModel, Notebook } from '@jupyterlab/notebook';

import { sha256 } from '../model';
import { ICatalogue } from '../tokens';

/** Our key in a cell's metadata. */
const KEY = 'kernelgate';

/** What we wrote about a cell into its metadata. */
export interface ICellMark {
  /** The operator whose program was inserted here, or is verified here. */
  operator?: string;
  /** The id of the cell that this one verifies. */
  verify?: string;
  /** The SHA-256 of what we wrote here: another text is a person's. */
  wrote?: string;
}

/** Our mark on a cell. A notebook is data from a stranger: only texts count. */
export function markOf(cell: ICellModel): ICellMark {
  const mark: unknown = cell.getMetadata(KEY);
  const { operator, verify, wrote } = (mark ?? {}) as Record<string, unknown>;
  const text = (value: unknown) =>
    typeof value === 'string' ? value : undefined;
  return {
    operator: text(operator),
    verify: text(verify),
    wrote: text(wrote)
  };
}

/** Whether the notebook's author forbids to change the text of a cell. */
export function isLocked(cell: ICellModel): boolean {
  return cell.getMetadata('editable') === false;
}

/** What Verify finds in a cell. */
export type CellContent = 'magic' | 'program' | 'other';

/** A magic of ours verifies by itself; a program is handed over by its cell's id. */
export function readCell(source: string, catalogue: ICatalogue): CellContent {
  const magic = /^\s*(?:%load_ext kernelgate\s+)?%{1,2}(\w+)/.exec(source)?.[1];
  if (
    magic !== undefined &&
    (magic === 'kernelgate' ||
      catalogue.operators.some(operator => operator.magic === magic))
  ) {
    return 'magic';
  }
  return /^[ \t]*(?:class\s+ModelNew\b|ModelNew\s*=(?!=))/m.test(source)
    ? 'program'
    : 'other';
}

/** A code cell, as the model takes it; what we write is trusted. */
function codeCell(source: string, mark?: ICellMark, isFolded = false) {
  return {
    cell_type: 'code' as const,
    source,
    metadata: {
      trusted: true,
      ...(mark ? { [KEY]: { ...mark } } : {}),
      ...(isFolded ? { jupyter: { source_hidden: true } } : {})
    }
  };
}

/**
 * Puts code below the active cell, or in its place where that is empty. One
 * step for undo; the new cell is active, focused and in sight, and does not run.
 * `isFolded`: only its first line shows until a person opens it. `use`: what
 * a cell below it reads; it comes and goes with it.
 */
export function insertCode(
  notebook: Notebook,
  source: string,
  {
    mark,
    isFolded,
    use
  }: { mark?: ICellMark; isFolded?: boolean; use?: string | null } = {}
): void {
  const program = codeCell(source, mark, isFolded);
  insertAt(notebook, use ? [program, codeCell(use)] : [program], 0);
}

/** Puts cells of code there in the same way; the last one is active. */
export function insertCells(
  notebook: Notebook,
  sources: readonly string[]
): void {
  insertAt(
    notebook,
    sources.map(source => codeCell(source))
  );
}

/** Where code goes that belongs to no cell: below the active one, or in its place where that is empty. */
function insertAt(
  notebook: Notebook,
  cells: readonly ReturnType<typeof codeCell>[],
  active = cells.length - 1
): void {
  const shared = notebook.model?.sharedModel;
  if (!shared) {
    return;
  }
  const cell = notebook.activeCell;
  const index = notebook.activeCellIndex;
  const isEmpty =
    cell instanceof CodeCell &&
    cell.model.sharedModel.getSource().trim() === '' &&
    cell.model.outputs.length === 0 &&
    !isLocked(cell.model) &&
    cell.model.getMetadata('deletable') !== false;
  const at = isEmpty ? index : index + 1;
  shared.transact(() => {
    shared.insertCells(at, [...cells]);
    if (isEmpty) {
      shared.deleteCell(at + cells.length);
    }
  });
  goToCell(notebook, at + active);
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
  insertBelow(notebook, index, codeCell(source));
}

/** The same for Markdown, which is drawn. */
export function insertMarkdownBelow(
  notebook: Notebook,
  index: number,
  source: string
): void {
  insertBelow(notebook, index, { cell_type: 'markdown', source, metadata: {} });
  if (notebook.activeCell instanceof MarkdownCell) {
    notebook.activeCell.rendered = true;
  }
}

function insertBelow(
  notebook: Notebook,
  index: number,
  added: Parameters<INotebookModel['sharedModel']['insertCell']>[1]
): void {
  const cell = notebook.widgets[index];
  const next = notebook.widgets[index + 1];
  const isVerified = next && markOf(next.model).verify === cell?.model.id;
  const at = index + (isVerified ? 2 : 1);
  notebook.model?.sharedModel.insertCell(at, added);
  goToCell(notebook, at);
}

/** What a cell that verifies another is to read. */
export interface IVerifyText {
  ours: string;
  /** What a cell of a person's is to read; null if it is to be left alone. */
  edited: (cell: ICellModel) => string | null;
}

/**
 * The cell that verifies the cell at `index`: the next one if it is such a
 * cell already, else a new one. What a person has written there is kept.
 */
export function verifyCellBelow(
  notebook: Notebook,
  index: number,
  text: IVerifyText,
  operator?: string
): CodeCell | null {
  const model = notebook.model;
  const verified = model?.cells.get(index);
  if (!model || !verified) {
    return null;
  }
  const mark = { verify: verified.id, ...(operator ? { operator } : {}) };
  const next = notebook.widgets[index + 1];
  if (
    next instanceof CodeCell &&
    markOf(next.model).verify === verified.id &&
    rewrite(next.model, text, mark)
  ) {
    return next;
  }
  const wrote = sha256(text.ours);
  const added = codeCell(text.ours, { ...mark, wrote });
  model.sharedModel.insertCell(index + 1, added);
  const widget = notebook.widgets[index + 1];
  return widget instanceof CodeCell ? widget : null;
}

/** Writes into a cell that verifies another; false where its text is a person's, and stays. */
function rewrite(
  cell: ICellModel,
  { ours, edited }: IVerifyText,
  mark: ICellMark = markOf(cell)
): boolean {
  if (isLocked(cell)) {
    return false;
  }
  const old = cell.sharedModel.getSource();
  const isOurs = old.trim() === '' || markOf(cell).wrote === sha256(old);
  const text = isOurs ? ours : edited(cell);
  if (text === null) {
    return false;
  }
  cell.setMetadata(KEY, { ...mark, wrote: sha256(ours) });
  if (text !== old) {
    cell.sharedModel.setSource(text);
  }
  return true;
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
  const cell = notebook.activeCell;
  if (line !== undefined && cell?.inputHidden) {
    cell.inputHidden = false;
  }
  // A cell that was never in sight is laid out first, which fails if it goes.
  notebook.scrollToItem(index, align).catch(() => undefined);
  const editor = notebook.activeCell?.editor;
  if (line !== undefined && editor && line >= 1 && line <= editor.lineCount) {
    notebook.mode = 'edit';
    editor.setCursorPosition({ line: line - 1, column: 0 });
    editor.revealPosition({ line: line - 1, column: 0 });
  }
}
