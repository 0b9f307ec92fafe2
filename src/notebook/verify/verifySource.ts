/**
 * The text of a cell that verifies: as we write it, and what such a text says.
 *
 * In: the texts of cells, and what is wanted. Out: a text, or what one calls for.
 * A cell is written whole, from data; one that says more than our data hold is
 * a person's, and is left as it is. Nothing here touches a notebook.
 */

import { pythonString, readPythonString } from '../../kernel/python';
import { IOperator, RunOptions } from '../../tokens';
import { DEFAULTS } from '../preferences';
import { IReference } from './reference';
import { isInputs, isTorchExpression } from './torchExpression';
import { Verb } from './verbs';

/** What a program is for: an operator, or a reference of a person's own. */
export type Problem = IOperator | IReference;

/** What a cell that verifies asks for, as far as it says so by words and figures alone. */
export interface IVerifyCall {
  readonly verb: Verb;
  /** The id of an operator, or a reference; null if the cell says it, in the line of a magic. */
  readonly problem: string | IReference | null;
  readonly cellId: string;
  /** Every other option, by its name, as it is written. */
  readonly options: Readonly<Record<string, string>>;
}

/** A call for a problem, with what a person has set. */
export function verifyCall(
  verb: Verb,
  problem: Problem | null,
  cellId: string,
  options: RunOptions = DEFAULTS
): IVerifyCall {
  const { device, contract, thorough, rtol, atol, budget } = options;
  return {
    verb,
    problem: problem && 'id' in problem ? problem.id : problem,
    cellId,
    options: {
      ...(device !== DEFAULTS.device && { device: pythonString(device) }),
      ...(contract !== DEFAULTS.contract && {
        contract: pythonString(contract)
      }),
      ...(thorough && { thorough: 'True' }),
      ...(rtol > 0 && { rtol: String(rtol) }),
      ...(atol > 0 && { atol: String(atol) }),
      ...(budget !== DEFAULTS.budget && { budget: String(budget) })
    }
  };
}

/** The cell that verifies a program, or does more, as the person will read it. */
export function verifyCellSource({
  verb,
  problem,
  cellId,
  options
}: IVerifyCall): string {
  const cell = `cell=${pythonString(cellId)}`;
  const said =
    typeof problem === 'string'
      ? [pythonString(problem), cell]
      : [
          cell,
          ...(problem ? [`reference=${pythonString(problem.reference)}`] : []),
          ...(problem?.inputs ? [`inputs=${pythonString(problem.inputs)}`] : [])
        ];
  const more = Object.entries(options)
    .filter(([name]) => verb !== 'verify' || name !== 'budget')
    .map(([name, value]) => `${name}=${value}`);
  const all = [...said, ...more].join(', ');
  return ['import kernelgate', `kernelgate.${verb}(${all})`].join('\n');
}

/** One argument of a call: a name, if it has one, and a text, a word or a figure. */
const ARGUMENT =
  /(?:([A-Za-z_]\w*) *= *)?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|True|False|None|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?) *(?:, *|$)/y;

/** What a text calls for; null if it is anything but one call of ours, of which each word is known. */
export function readVerifyCall(source: string): IVerifyCall | null {
  const [, verb, given = ''] =
    /^import kernelgate\nkernelgate\.(verify|benchmark|profile)\((.*)\)\s*$/.exec(
      source
    ) ?? [];
  if (verb === undefined) {
    return null;
  }
  const options: Record<string, string> = {};
  let id: string | null = null;
  ARGUMENT.lastIndex = 0;
  while (ARGUMENT.lastIndex < given.length) {
    const [whole, name, value] = ARGUMENT.exec(given) ?? [];
    if (whole === undefined || value === undefined) {
      return null;
    }
    if (name !== undefined) {
      options[name] = value;
    } else if (id === null && Object.keys(options).length === 0) {
      id = readPythonString(value);
    } else {
      return null;
    }
  }
  const { cell, reference, inputs, ...others } = options;
  const text = (value: string | undefined) =>
    value === undefined ? null : readPythonString(value);
  const [cellId, asked] = [text(cell), text(reference)];
  const problem =
    id ??
    (asked === null ? null : { reference: asked, inputs: text(inputs) ?? '' });
  return cellId === null || (id !== null && asked !== null)
    ? null
    : { verb: verb as Verb, problem, cellId, options: others };
}

/** Options that choose how a program is judged, and name no file. */
const HARMLESS = [
  'device',
  'contract',
  'thorough',
  'rtol',
  'atol',
  'budget',
  'timeout',
  'shape',
  'dtype'
];

/** Whether a call runs nothing but the program, in its confined process: a stranger may have written it. */
export function isHarmless({ problem, options }: IVerifyCall): boolean {
  if (problem === null) {
    return false; // the line of the cell's magic says more
  }
  const isKnown =
    typeof problem === 'string'
      ? /^[\w-]+$/.test(problem)
      : // A name is that of a cell that has been executed; of a cell that is named itself, Verify asks.
        (/^(cell:[\w-]+|[A-Za-z_]\w*)$/.test(problem.reference) ||
          isTorchExpression(problem.reference)) &&
        (problem.inputs === '' || isInputs(problem.inputs));
  return isKnown && Object.keys(options).every(name => HARMLESS.includes(name));
}
