/**
 * The cells of a notebook as Python: which of them defines Model, and which ones
 * another needs.
 *
 * In: a notebook, and what reads Python. Out: cells. Each text is read once.
 */

import { CodeCell, ICellModel } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';

import { IPythonText, ReadPython } from './python';

/** More cells than a program needs of others. */
const MOST_NEEDED = 30;

const INPUTS = ['get_inputs', 'get_init_inputs'];

const known = new WeakMap<ICellModel, { source: string; read: IPythonText }>();

function readCell(model: ICellModel, read: ReadPython): IPythonText {
  const source = model.sharedModel.getSource();
  const old = known.get(model);
  if (old?.source === source) {
    return old.read;
  }
  const now = { source, read: read(source) };
  known.set(model, now);
  return now.read;
}

/** The code cells, in the order in which another one looks for a name: itself, those above from the nearest on, those below. */
function around(notebook: Notebook, index: number): ICellModel[] {
  const { widgets } = notebook;
  return [...widgets.slice(0, index + 1).reverse(), ...widgets.slice(index + 1)]
    .filter(cell => cell instanceof CodeCell)
    .map(({ model }) => model);
}

/** The cells that define Model, the likeliest for the program of a cell first. */
export function modelCells(
  notebook: Notebook,
  index: number,
  read: ReadPython
): ICellModel[] {
  return around(notebook, index).filter(model =>
    readCell(model, read).binds.has('Model')
  );
}

/**
 * The other cells whose names a program and its reference need, and those need
 * in turn: of each name the nearest cell that binds it.
 */
export function neededCells(
  notebook: Notebook,
  program: ICellModel,
  reference: ICellModel | null,
  read: ReadPython
): ICellModel[] {
  const index = notebook.widgets.findIndex(({ model }) => model === program);
  const others = around(notebook, index).filter(model => model !== program);
  const wanted = new Set(readCell(program, read).needs);
  const given = new Set<ICellModel>([program]);
  if (reference) {
    given.add(reference);
    const { needs, binds } = readCell(reference, read);
    const missing = INPUTS.filter(name => !binds.has(name));
    [...needs, ...missing].forEach(name => wanted.add(name));
  }
  const found: ICellModel[] = [];
  // What is added meanwhile is visited as well.
  for (const name of wanted) {
    const cell = others.find(model => readCell(model, read).binds.has(name));
    if (cell && !given.has(cell) && found.length < MOST_NEEDED) {
      given.add(cell);
      found.push(cell);
      readCell(cell, read).needs.forEach(one => wanted.add(one));
    }
  }
  return found;
}
