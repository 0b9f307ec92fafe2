/**
 * Which cell is verified, and what the notebook says of it.
 *
 * In: a notebook, and which cell and operator the person means, as far as they
 * said. Out: a target. Nothing is run, and nobody is asked.
 */

import { CodeCell, ICellModel } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';

import { ICatalogue, IOperator } from '../../tokens';
import { isBrought } from '../brought';
import { indexOfCell, markOf, readCell } from '../cells';
import { IReference } from './reference';
import { isHarmless, IVerifyCall, readVerifyCall } from './verifySource';

/** What to verify: a program, or a cell that verifies by itself. */
export interface ITarget {
  readonly index: number;
  readonly content: 'program' | 'magic';
  /** The operator whose program was inserted there, or that it was verified for. */
  readonly recorded: IOperator | null;
  /** What the cell below verifies it against, if that is no operator. */
  readonly reference: IReference | null;
}

/** What a cell that verifies calls for; null where a stranger may have written it, and it may run more than the program. */
export function callOf(
  { model }: Notebook,
  cell: ICellModel
): IVerifyCall | null {
  const call = readVerifyCall(cell.sharedModel.getSource());
  const isTheirs = model !== null && isBrought(model, cell);
  return call && isTheirs && !isHarmless(call) ? null : call;
}

/**
 * The cell to verify: the given one, else the active one, or the one that the
 * active cell verifies. For an operator it may also be the nearest cell below
 * or above that its program was inserted into, else, where the active cell has
 * no program, the only one of which no operator is known. Null where there is none.
 */
export function findTarget(
  notebook: Notebook,
  catalogue: ICatalogue,
  asked: { cellId?: string; operator?: IOperator }
): ITarget | null {
  const read = (index: number): ITarget | null => {
    const cell = notebook.widgets[index];
    if (!(cell instanceof CodeCell)) {
      return null;
    }
    const content = readCell(cell.model.sharedModel.getSource(), catalogue);
    const next = notebook.widgets[index + 1];
    const check = next ? markOf(next.model) : {};
    const recorded =
      catalogue.get(markOf(cell.model).operator) ??
      (check.verify === cell.model.id ? catalogue.get(check.operator) : null);
    const below =
      next && check.verify === cell.model.id
        ? callOf(notebook, next.model)?.problem
        : undefined;
    const reference = typeof below === 'object' ? below : null;
    return content === 'other' ? null : { index, content, recorded, reference };
  };
  const follow = (index: number): ITarget | null => {
    const verified = notebook.widgets[index];
    const id = verified && markOf(verified.model).verify;
    return id === undefined ? read(index) : read(indexOfCell(notebook, id));
  };
  if (asked.cellId !== undefined) {
    return follow(indexOfCell(notebook, asked.cellId));
  }
  const active = notebook.activeCellIndex;
  const target = follow(active);
  const { operator } = asked;
  if (!operator || (target && (target.recorded ?? operator) === operator)) {
    return target;
  }
  const near = notebook.widgets
    .map((_, index) => read(index))
    .filter(one => one !== null)
    .sort((a, b) => distance(a, active) - distance(b, active));
  const ours = near.find(({ recorded }) => recorded === operator);
  const others = near.filter(
    ({ recorded, content }) => recorded === null && content === 'program'
  );
  const only = others.length === 1 && !target ? others[0] : null;
  return ours ?? only ?? null;
}

function distance(target: ITarget, index: number): number {
  return Math.abs(target.index - index);
}
