/**
 * Verify, benchmark, profile: from a cell to a visible cell that runs it.
 *
 * In: a notebook, and which cell and operator the person means, as far as they
 * said. Out: a target, then the cell that was run. What computes is visible and
 * can be interrupted; only the program's text is handed over silently.
 */

import { InputDialog } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { Notebook, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import { pythonString } from '../kernel/python';
import { ICatalogue, IKernelLink, IOperator } from '../tokens';
import {
  goToCell,
  indexOfCell,
  markOf,
  readCell,
  verifyCellBelow
} from './cells';
import { Verb, verbName } from './verbs';

/** What to verify: a program, or a cell that verifies by itself. */
export interface ITarget {
  readonly index: number;
  readonly content: 'program' | 'magic';
  /** The operator whose program was inserted there, or that it was verified for. */
  readonly recorded: IOperator | null;
}

/**
 * The cell to verify: the given one, else the active one, or the one that the
 * active cell verifies. For an operator it may also be the nearest cell below
 * or above that its program was inserted into. Null where there is no program.
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
    return content === 'other' ? null : { index, content, recorded };
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
  return (
    notebook.widgets
      .map((_, index) => read(index))
      .filter(one => one !== null)
      .filter(one => one.recorded === operator)
      .sort((a, b) => distance(a, active) - distance(b, active))[0] ?? null
  );
}

function distance(target: ITarget, index: number): number {
  return Math.abs(target.index - index);
}

/** The cell that verifies a program, or does more, as the person will read it. */
export function verifyCellSource(
  verb: Verb,
  operator: IOperator,
  cellId: string
): string {
  return [
    'import kernelgate',
    `kernelgate.${verb}(${pythonString(operator.id)}, cell=${pythonString(cellId)})`
  ].join('\n');
}

/**
 * A cell with a magic of ours, with another verb. A body that only uses the
 * program is left out: it would run twice.
 */
export function magicSource(verb: Verb, source: string): string {
  const [, before, line, body] = /^(\s*)([^\n]*)\n?([^]*)$/.exec(source) ?? [];
  if (line === undefined || body === undefined) {
    return source;
  }
  const isCandidate = /^class\s+ModelNew\b|__global__/m.test(body);
  const rest = isCandidate ? `\n${body}` : '';
  const said = isCandidate ? line : line.replace(/^%%/, '%');
  if (/^%+kernelgate\b/.test(line)) {
    return `${before}${said.replace(/\b(verify|benchmark|profile)\b/, verb)}${rest}`;
  }
  const plain = said.replace(/\s+--(benchmark|profile)\b/g, '').trimEnd();
  return `${before}${plain}${verb === 'verify' ? '' : ` --${verb}`}${rest}`;
}

/** The operator that a program is meant for: known, the only one, or asked for. */
export async function chooseOperator(
  catalogue: ICatalogue,
  target: ITarget,
  asked: IOperator | undefined,
  verb: Verb,
  translator: ITranslator
): Promise<IOperator | null> {
  const { operators } = catalogue;
  const known = asked ?? target.recorded;
  if (known || operators.length < 2) {
    return known ?? operators[0] ?? null;
  }
  const trans = translator.load('jupyterlab_kernelgate');
  const { value } = await InputDialog.getItem({
    title: trans.__('Which problem is this program for?'),
    label: trans.__('It is checked against the reference of that problem.'),
    items: operators.map(({ name }) => name),
    okLabel: verbName(verb, trans)
  });
  return operators.find(({ name }) => name === value) ?? null;
}

/** Runs a target, in a cell below where it does not do it itself; rejects with a `RequestError`. */
export async function runVerify(
  panel: NotebookPanel,
  link: IKernelLink,
  verb: Verb,
  target: ITarget,
  operator: IOperator | null,
  translator: ITranslator
): Promise<void> {
  const { content: notebook, sessionContext } = panel;
  const program = notebook.widgets[target.index];
  if (!program) {
    return;
  }
  const id = program.model.id;
  const source = program.model.sharedModel.getSource();
  let below: string;
  if (target.content === 'magic' || !operator) {
    below = verb === 'verify' ? source : magicSource(verb, source);
    if (below === source) {
      await runCell(panel, id, translator);
      return;
    }
  } else {
    await link.rememberCell(sessionContext, id, source);
    below = verifyCellSource(verb, operator, id);
  }
  // Cells may have moved while the kernel took the text.
  const cell = verifyCellBelow(
    notebook,
    indexOfCell(notebook, id),
    below,
    operator?.id
  );
  if (cell) {
    await runCell(panel, cell.model.id, translator);
  }
}

/** Goes to a cell, with room for its report below, and runs it. */
export async function runCell(
  { content: notebook, sessionContext }: NotebookPanel,
  id: string,
  translator: ITranslator
): Promise<void> {
  const index = indexOfCell(notebook, id);
  const cell = notebook.widgets[index];
  if (cell) {
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
