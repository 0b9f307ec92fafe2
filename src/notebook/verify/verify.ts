/**
 * Verify, benchmark, profile: from a cell to a visible cell that runs it.
 *
 * In: a notebook, and which cell and operator the person means, as far as they
 * said. Out: a target, then the cell that was run. What computes is visible and
 * can be interrupted; only the program's text is handed over silently.
 */

import { InputDialog } from '@jupyterlab/apputils';
import { CodeCell, ICellModel } from '@jupyterlab/cells';
import { Notebook, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import { ICatalogue, IKernelLink, IOperator } from '../../tokens';
import { accept, isBrought } from '../brought';
import {
  goToCell,
  indexOfCell,
  IVerifyText,
  markOf,
  readCell,
  rewrite,
  verifyCellBelow
} from '../cells';
import { mayRun } from './askToRun';
import { askReference, IReference } from './reference';
import { Verb, verbName } from './verbs';
import {
  CallOptions,
  editedMagicSource,
  isHarmless,
  IVerifyCall,
  magicSource,
  Problem,
  readVerifyCall,
  verifyCall,
  verifyCellSource
} from './verifySource';

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
function callOf({ model }: Notebook, cell: ICellModel): IVerifyCall | null {
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

/** A cell as a reference, which the kernel reads. */
const CELL = 'cell:';

/** The cell that defines a program's Model: its own, else the nearest above, else below; null where there is none. */
function modelBeside(notebook: Notebook, index: number): IReference | null {
  const before = notebook.widgets.slice(0, index + 1).reverse();
  const all = [...before, ...notebook.widgets.slice(index + 1)];
  const found = all.find(
    ({ model }) =>
      model.type === 'code' &&
      /^(class|def)\s+Model\b|^Model\s*=/m.test(model.sharedModel.getSource())
  );
  return found ? { reference: `${CELL}${found.model.id}`, inputs: '' } : null;
}

/**
 * What a program is meant for: the operator that is asked for or recorded, else
 * the Model beside it, else what the person says. No operator is proposed for a
 * program that is not known to be for it.
 */
export async function chooseProblem(
  notebook: Notebook,
  catalogue: ICatalogue,
  target: ITarget,
  asked: IOperator | undefined,
  verb: Verb,
  translator: ITranslator
): Promise<Problem | null> {
  const { operators } = catalogue;
  const known = asked ?? target.recorded ?? modelBeside(notebook, target.index);
  if (known) {
    return known;
  }
  const trans = translator.load('jupyterlab_kernelgate');
  const another = trans.__('Another problem…');
  const okLabel = verbName(verb, trans);
  const { value } = await InputDialog.getItem({
    title: trans.__('Which problem is this program for?'),
    label: trans.__('It is checked against the reference of that problem.'),
    items: [another, ...operators.map(({ name }) => name)],
    okLabel
  });
  return value === another
    ? askReference(okLabel, translator)
    : (operators.find(({ name }) => name === value) ?? null);
}

export interface IRunVerify {
  panel: NotebookPanel;
  link: IKernelLink;
  verb: Verb;
  target: ITarget;
  /** Null if the target itself names it. */
  problem: Problem | null;
  /** Further options of a new cell; a cell that a person wrote keeps its text. */
  options: CallOptions;
  /** Whether the person asked for more cases this time. */
  thorough?: boolean;
  translator: ITranslator;
}

/**
 * Runs a target, in a cell below where it does not do it itself; rejects with a
 * `RequestError`. The id of the cell that was run; null where there is none.
 */
export async function runVerify(asked: IRunVerify): Promise<string | null> {
  const { panel, link, verb, target, problem, translator } = asked;
  const { thorough = false } = asked;
  const { content: notebook } = panel;
  const program = notebook.widgets[target.index];
  if (!program) {
    return null;
  }
  const id = program.model.id;
  const source = program.model.sharedModel.getSource();
  const text: IVerifyText = {
    ours: magicSource(verb, source, thorough),
    edited: (old, onlyLine, cell) =>
      notebook.model && isBrought(notebook.model, cell)
        ? null
        : withMagicOf(verb, source, thorough)(old, onlyLine, cell)
  };
  const operator = problem && 'id' in problem ? problem : null;
  const meant = problem ?? target.reference;
  if (target.content === 'magic' || !meant) {
    if (!(await mayRun(notebook, program.model, 'cell', translator))) {
      return null;
    }
    if (text.ours === source || (verb === 'verify' && !thorough)) {
      await runCell(panel, id, translator);
      return id;
    }
  } else {
    const read = cellOfReference(notebook, meant);
    if (
      (read && !(await handOverReference(panel, link, read, translator))) ||
      !(await handOver(panel, link, id, source))
    ) {
      return null;
    }
    const options = thorough ? { ...asked.options, thorough } : asked.options;
    const wanted = verifyCall(verb, meant, id, options);
    text.ours = verifyCellSource(wanted);
    text.edited = (_, __, cell) => {
      const call = callOf(notebook, cell);
      return call && editedCall(call, wanted, thorough);
    };
  }
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

/** A call with what a person has written into it, for what is wanted now; as it reads where that is the same. */
function editedCall(
  call: IVerifyCall,
  { verb, problem, cellId }: IVerifyCall,
  thorough: boolean
): string {
  const { thorough: said, ...others } = call.options;
  const value = thorough ? 'True' : said;
  const options = value === undefined ? others : { ...others, thorough: value };
  return verifyCellSource({ verb, problem, cellId, options });
}

/**
 * Runs a cell that verifies another once more, as it reads, for the program as
 * that reads now; rejects with a `RequestError`.
 */
export async function runVerifyAgain(
  cellId: string,
  catalogue: ICatalogue,
  {
    panel,
    link,
    verb,
    translator
  }: Omit<IRunVerify, 'target' | 'problem' | 'options'>
): Promise<void> {
  const { content: notebook } = panel;
  const target = findTarget(notebook, catalogue, { cellId });
  const program = target && notebook.widgets[target.index]?.model;
  if (program && program.id !== cellId) {
    const source = program.sharedModel.getSource();
    if (target.content === 'program') {
      const { reference } = target;
      const cell = reference && cellOfReference(notebook, reference);
      if (
        (cell && !(await handOverReference(panel, link, cell, translator))) ||
        !(await handOver(panel, link, program.id, source))
      ) {
        return;
      }
    } else {
      const cell = notebook.widgets[indexOfCell(notebook, cellId)];
      if (cell) {
        const ours = magicSource(verb, source);
        rewrite(cell.model, { ours, edited: withMagicOf(verb, source) });
      }
    }
  }
  await runCell(panel, cellId, translator);
}

/** The cells of each notebook whose programs the kernel has not taken yet. */
const handingOver = new WeakMap<NotebookPanel, Set<string>>();

/** Gives the kernel a program; false while it has not taken that of the same cell: a person pressed twice. */
async function handOver(
  panel: NotebookPanel,
  link: IKernelLink,
  id: string,
  source: string
): Promise<boolean> {
  const cells = handingOver.get(panel) ?? new Set();
  handingOver.set(panel, cells);
  if (cells.has(id)) {
    return false;
  }
  cells.add(id);
  try {
    await link.rememberCell(panel.sessionContext, id, source);
    return true;
  } finally {
    cells.delete(id);
  }
}

/** The cell that a reference names; null where it names none of this notebook. */
function cellOfReference(
  notebook: Notebook,
  problem: Problem
): ICellModel | null {
  const name = 'reference' in problem ? problem.reference : '';
  const id = name.startsWith(CELL) ? name.slice(CELL.length) : '';
  return notebook.widgets[indexOfCell(notebook, id)]?.model ?? null;
}

/** The same for that cell, as it reads now; false also where a person says no. */
async function handOverReference(
  panel: NotebookPanel,
  link: IKernelLink,
  cell: ICellModel,
  translator: ITranslator
): Promise<boolean> {
  return (
    (await mayRun(panel.content, cell, 'reference', translator)) &&
    handOver(panel, link, cell.id, cell.sharedModel.getSource())
  );
}

/** The person's line, for the program as it is now; the body that they wrote stays. */
function withMagicOf(
  verb: Verb,
  source: string,
  thorough = false
): IVerifyText['edited'] {
  return (text, onlyLine) =>
    onlyLine ? editedMagicSource(verb, source, text, thorough) : null;
}

/** Goes to a cell, with room for its report below, and runs it, unless it came with the file and a person says no. */
export async function runCell(
  { content: notebook, sessionContext }: NotebookPanel,
  id: string,
  translator: ITranslator
): Promise<void> {
  const index = indexOfCell(notebook, id);
  const cell = notebook.widgets[index];
  if (cell && (await mayRun(notebook, cell.model, 'cell', translator))) {
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
