/**
 * How the program of a cell is checked: as a person said for this cell, else as
 * the cell below it says in the notebook, else as their settings have it.
 */

import { Notebook } from '@jupyterlab/notebook';

import { readPythonString } from '../../kernel/python';
import { RunOptions } from '../../tokens';
import { callOf, ITarget } from '../verify/target';
import { saidOf } from './said';

export function optionsOf(
  notebook: Notebook,
  { index }: ITarget,
  set: RunOptions
): RunOptions {
  const cell = notebook.widgets[index]?.model;
  const next = notebook.widgets[index + 1]?.model;
  const call = cell && next ? callOf(notebook, next) : null;
  const written = call?.cellId === cell?.id ? call?.options : undefined;
  const figure = (name: 'rtol' | 'atol') => {
    const value = Number(written?.[name]);
    return value > 0 ? value : set[name];
  };
  const contract = readPythonString(written?.contract ?? '');
  const { device, thorough, budget } = set;
  return {
    device,
    thorough,
    budget,
    contract: contract === 'drop-in' ? contract : set.contract,
    rtol: figure('rtol'),
    atol: figure('atol'),
    ...(cell ? saidOf(notebook.model, cell).options : {})
  };
}
