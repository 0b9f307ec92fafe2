/**
 * What a person has said of the program of a cell: what it is checked against,
 * and how. It is kept while the page is open; a cell that verifies says it in
 * the notebook's file.
 */

import { ICellModel } from '@jupyterlab/cells';
import { INotebookModel } from '@jupyterlab/notebook';

import { RunOptions } from '../../tokens';
import { Problem } from '../verify/verifySource';

export interface ISaid {
  readonly problem?: Problem;
  readonly options?: Partial<RunOptions>;
}

const said = new WeakMap<INotebookModel, Map<string, ISaid>>();

export function saidOf(
  model: INotebookModel | null,
  { id }: Pick<ICellModel, 'id'>
): ISaid {
  return (model && said.get(model)?.get(id)) ?? {};
}

export function say(
  model: INotebookModel | null,
  { id }: Pick<ICellModel, 'id'>,
  more: ISaid
): void {
  if (model) {
    const cells = said.get(model) ?? new Map<string, ISaid>();
    said.set(model, cells.set(id, { ...cells.get(id), ...more }));
  }
}
