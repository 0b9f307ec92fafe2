/**
 * Verify, benchmark, profile: from a program to a visible cell that runs it.
 *
 * In: a target, and what it is checked against. Out: the cell that was run. What
 * computes is visible and can be interrupted; only texts of cells are handed
 * over silently.
 */

import { ICellModel } from '@jupyterlab/cells';
import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import { ICatalogue, IKernelLink, RunOptions } from '../../tokens';
import { accept, isBrought } from '../brought';
import { goToCell, indexOfCell, IVerifyText, verifyCellBelow } from '../cells';
import { neededCells } from '../programs/cellsRead';
import { DEFAULTS } from '../preferences';
import { optionsOf } from '../programs/options';
import { cellOfReference } from '../programs/problems';
import { ReadPython } from '../programs/python';
import { saidOf } from '../programs/said';
import { mayRun } from './askToRun';
import { callOf, findTarget, ITarget } from './target';
import { Verb } from './verbs';
import {
  IVerifyCall,
  Problem,
  verifyCall,
  verifyCellSource
} from './verifySource';

export interface IRunVerify {
  panel: NotebookPanel;
  link: IKernelLink;
  verb: Verb;
  target: ITarget;
  /** Null for a cell that verifies by itself. */
  problem: Problem | null;
  read: ReadPython;
  /** Further options of a new cell; a cell that a person wrote keeps its text. */
  options: RunOptions;
  /** Whether the person asked for more cases this time. */
  thorough?: boolean;
  translator: ITranslator;
}

/**
 * Runs a target, in a cell below where it does not do it itself; rejects with a
 * `RequestError`. The id of the cell that was run; null if there is none.
 */
export async function runVerify(asked: IRunVerify): Promise<string | null> {
  const { panel, verb, target, translator, thorough = false } = asked;
  const isMagic = target.content === 'magic';
  const problem = isMagic ? null : asked.problem;
  const { content: notebook } = panel;
  const program = notebook.widgets[target.index];
  if (!program) {
    return null;
  }
  const id = program.model.id;
  const operator = problem && 'id' in problem ? problem : null;
  if (isMagic) {
    if (!(await mayRun(notebook, [program.model], 'cell', translator))) {
      return null;
    }
    if (verb === 'verify' && !thorough) {
      await runCell(panel, id, translator);
      return id;
    }
  }
  if (!(await handOver(asked, program.model, problem))) {
    return null;
  }
  // The line of a magic says what its person wants; their settings are for other cells.
  const { options: said = {} } = saidOf(notebook.model, program.model);
  const set = isMagic
    ? { ...DEFAULTS, ...said }
    : optionsOf(notebook, target, asked.options);
  const options = thorough ? { ...set, thorough } : set;
  const wanted = verifyCall(verb, problem, id, options);
  const text: IVerifyText = {
    ours: verifyCellSource(wanted),
    edited: cell => {
      const call = callOf(notebook, cell);
      return call && editedCall(call, wanted, Object.keys(said), thorough);
    }
  };
  // Cells may have moved while the kernel took the text.
  const cell = verifyCellBelow(
    notebook,
    indexOfCell(notebook, id),
    text,
    operator?.id
  );
  if (cell) {
    accept(cell.model);
    await runCell(panel, cell.model.id, translator);
  }
  return cell?.model.id ?? null;
}

/** A call with what a person has written into it, for what is wanted now; of the options that they said since, as said. */
function editedCall(
  call: IVerifyCall,
  wanted: IVerifyCall,
  said: readonly string[],
  thorough: boolean
): string {
  const options = new Map(Object.entries(call.options));
  for (const name of thorough ? [...said, 'thorough'] : said) {
    const value = wanted.options[name];
    if (value === undefined) {
      options.delete(name);
    } else {
      options.set(name, value);
    }
  }
  return verifyCellSource({ ...wanted, options: Object.fromEntries(options) });
}

/**
 * Runs a cell that verifies another once more, as it reads, for the program as
 * that reads now; rejects with a `RequestError`.
 */
export async function runVerifyAgain(
  cellId: string,
  catalogue: ICatalogue,
  asked: Omit<IRunVerify, 'target' | 'problem' | 'options'>
): Promise<void> {
  const { panel, translator } = asked;
  const { content: notebook } = panel;
  const target = findTarget(notebook, catalogue, { cellId });
  const program = target && notebook.widgets[target.index]?.model;
  if (program && program.id !== cellId) {
    const problem = target.reference ?? target.recorded;
    if (!(await handOver(asked, program, problem))) {
      return;
    }
  }
  await runCell(panel, cellId, translator);
}

/** The cells of each notebook whose programs the kernel has not taken yet. */
const handingOver = new WeakMap<NotebookPanel, Set<string>>();

/**
 * Gives the kernel a program, the cell of its reference, and the cells whose
 * names the two need, as they read now. False where a person does not want that,
 * and while the kernel has not taken the same program: they pressed twice.
 */
async function handOver(
  {
    panel,
    link,
    read,
    translator
  }: Pick<IRunVerify, 'panel' | 'link' | 'read' | 'translator'>,
  program: ICellModel,
  problem: Problem | null
): Promise<boolean> {
  const { content: notebook, sessionContext } = panel;
  const { model } = notebook;
  const cells = handingOver.get(panel) ?? new Set();
  handingOver.set(panel, cells);
  if (cells.has(program.id) || !model) {
    return false;
  }
  cells.add(program.id);
  try {
    const reference = problem && cellOfReference(notebook, problem);
    const needed = neededCells(notebook, program, reference, read).filter(
      // The judge runs a reference with what it needs; a program alone is confined.
      cell => reference !== null || !isBrought(model, cell)
    );
    if (
      reference &&
      !(await mayRun(notebook, [...needed, reference], 'reference', translator))
    ) {
      return false;
    }
    const give = (cell: ICellModel, role?: 'needed') =>
      link.rememberCell(
        sessionContext,
        cell.id,
        cell.sharedModel.getSource(),
        role
      );
    for (const cell of needed) {
      await give(cell, 'needed');
    }
    if (reference && reference !== program) {
      await give(reference);
    }
    await give(program);
    return true;
  } finally {
    cells.delete(program.id);
  }
}

/** Goes to a cell, with room for its report below, and runs it, unless it came with the file and a person says no. */
export async function runCell(
  { content: notebook, sessionContext }: NotebookPanel,
  id: string,
  translator: ITranslator
): Promise<void> {
  const index = indexOfCell(notebook, id);
  const cell = notebook.widgets[index];
  if (cell && (await mayRun(notebook, [cell.model], 'cell', translator))) {
    goToCell(notebook, index, { align: 'top-center' });
    await NotebookActions.runCells(
      notebook,
      [cell],
      sessionContext,
      undefined,
      translator
    );
  }
}
