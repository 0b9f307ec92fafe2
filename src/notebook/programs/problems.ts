/**
 * What the program of a cell can be checked against, and what it is checked
 * against unless a person says something else: found, not asked.
 *
 * In: a notebook, and which cell. Out: choices, and the chosen one. The order of
 * what is found: what a person said, what the cell below verifies it against, the
 * operator whose program was inserted, the Model in this cell, above or below.
 * No operator is proposed for a program that is not known to be for it.
 */

import { CodeCell, ICellModel } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';
import { TranslationBundle } from '@jupyterlab/translation';

import { ICatalogue, IProblemChoice } from '../../tokens';
import { indexOfCell } from '../cells';
import { IReference } from '../verify/reference';
import { ITarget } from '../verify/target';
import { Problem } from '../verify/verifySource';
import { modelCells } from './cellsRead';
import { ReadPython, sizesIn } from './python';
import { saidOf } from './said';

/** A cell as a reference, which the kernel reads. */
const CELL = 'cell:';

/** More cells that define Model than a person chooses from. */
const MOST_MODELS = 5;

/** The key of the choice that asks. */
export const ANOTHER = 'another';

/** The key of a reference of a person's own. */
const OWN = 'own';

export interface IProblems {
  readonly choices: readonly IProblemChoice[];
  /** The key of the one that holds; empty where nothing was found. */
  readonly chosen: string;
  /** By key. */
  readonly problems: ReadonlyMap<string, Problem>;
}

export function problemsOf(
  notebook: Notebook,
  catalogue: ICatalogue,
  target: ITarget,
  read: ReadPython,
  trans: TranslationBundle
): IProblems {
  const cell = notebook.widgets[target.index];
  const { index } = target;
  const models = modelCells(notebook, index, read).slice(0, MOST_MODELS);
  const said = cell ? saidOf(notebook.model, cell.model).problem : undefined;
  const found = [said, target.reference, target.recorded].find(
    one => one && isThere(notebook, one)
  );
  const problems = new Map<string, Problem>();
  const choices: IProblemChoice[] = [];
  const add = (problem: Problem, label: string, isCatalogue = false) => {
    const key = keyOf(problem);
    if (!problems.has(key)) {
      problems.set(key, problem);
      choices.push({ key, label, isCatalogue });
    }
  };
  models.forEach((model, n) =>
    add(
      { reference: `${CELL}${model.id}`, inputs: '' },
      modelWords(notebook, index, model, n === 0, trans)
    )
  );
  if (found && !('id' in found)) {
    add(found, referenceWords(found));
  }
  catalogue.operators.forEach(one => add(one, one.name, true));
  choices.push({
    key: ANOTHER,
    label: trans.__('Another reference…'),
    isCatalogue: false
  });
  const first = models.length > 0 ? (choices[0]?.key ?? '') : '';
  return { choices, chosen: found ? keyOf(found) : first, problems };
}

function keyOf(problem: Problem): string {
  return 'id' in problem
    ? problem.id
    : problem.reference.startsWith(CELL) && problem.inputs === ''
      ? problem.reference
      : OWN;
}

/** A reference may name a cell that is gone. */
function isThere(notebook: Notebook, problem: Problem): boolean {
  return (
    'id' in problem ||
    !problem.reference.startsWith(CELL) ||
    cellOfReference(notebook, problem) !== null
  );
}

/** The cell that a reference names; null where it names none of this notebook. */
export function cellOfReference(
  notebook: Notebook,
  problem: Problem
): ICellModel | null {
  const name = 'reference' in problem ? problem.reference : '';
  const id = name.startsWith(CELL) ? name.slice(CELL.length) : '';
  return notebook.widgets[indexOfCell(notebook, id)]?.model ?? null;
}

function modelWords(
  notebook: Notebook,
  index: number,
  model: ICellModel,
  isNearest: boolean,
  trans: TranslationBundle
): string {
  const at = indexOfCell(notebook, model.id);
  const cell = notebook.widgets[at];
  const prompt = cell instanceof CodeCell ? cell.model.executionCount : null;
  const words =
    at === index
      ? trans.__('Model in this cell')
      : !isNearest && prompt !== null
        ? trans.__('Model in cell [%1]', prompt)
        : at < index
          ? trans.__('Model above')
          : trans.__('Model below');
  const sizes = sizesIn(model.sharedModel.getSource());
  return sizes ? `${words} (${sizes})` : words;
}

function referenceWords({ reference, inputs }: IReference): string {
  const words = [reference, inputs].filter(part => part !== '').join(', ');
  const plain = words.replace(/\s+/g, ' ').replace(/[^ -~]/g, '\ufffd');
  return plain.length > 60 ? `${plain.slice(0, 57)}...` : plain;
}
