/**
 * The text of a cell that verifies: as we write it, and as a person has changed
 * it, with another verb.
 *
 * In: the texts of cells, and what is wanted. Out: a text. Nothing here touches
 * a notebook.
 */

import { pythonString } from '../../kernel/python';
import { IOperator, IPreferences } from '../../tokens';
import { DEFAULTS } from '../preferences';
import { IReference } from './reference';
import { Verb } from './verbs';

/** What a program is for: an operator, or a reference of a person's own. */
export type Problem = IOperator | IReference;

/** The options of a call that differ from their defaults, besides the problem. */
export type CallOptions = Pick<
  IPreferences,
  'device' | 'contract' | 'thorough' | 'rtol' | 'atol' | 'budget'
>;

/** The cell that verifies a program, or does more, as the person will read it. */
export function verifyCellSource(
  verb: Verb,
  problem: Problem,
  cellId: string,
  options: CallOptions = DEFAULTS
): string {
  const cell = `cell=${pythonString(cellId)}`;
  const said =
    'id' in problem
      ? [pythonString(problem.id), cell]
      : [
          cell,
          `reference=${pythonString(problem.reference)}`,
          ...(problem.inputs ? [`inputs=${pythonString(problem.inputs)}`] : [])
        ];
  const all = [...said, ...optionWords(verb, options)].join(', ');
  return ['import kernelgate', `kernelgate.${verb}(${all})`].join('\n');
}

function optionWords(
  verb: Verb,
  { device, contract, thorough, rtol, atol, budget }: CallOptions
): string[] {
  return [
    device !== DEFAULTS.device && `device=${pythonString(device)}`,
    contract !== DEFAULTS.contract && `contract=${pythonString(contract)}`,
    thorough && 'thorough=True',
    rtol > 0 && `rtol=${rtol}`,
    atol > 0 && `atol=${atol}`,
    verb !== 'verify' && budget !== DEFAULTS.budget && `budget=${budget}`
  ].filter(word => word !== false);
}

/** Whether a cell verifies against a reference of a person's own. */
export function namesReference(source: string): boolean {
  return /(\breference\s*=|--reference\b)/.test(source);
}

/**
 * A cell with a magic of ours, with another verb. A body that only uses the
 * program is left out: it would run twice.
 */
export function magicSource(
  verb: Verb,
  source: string,
  thorough = false
): string {
  const parts = magicParts(source);
  if (!parts) {
    return source;
  }
  const { before, line, body } = parts;
  const isCandidate = /^class\s+ModelNew\b|__global__/m.test(body);
  const rest = isCandidate ? `\n${body}` : '';
  const more = thorough && !/\s--thorough\b/.test(line) ? ' --thorough' : '';
  const said = `${isCandidate ? line : line.replace(/^%%/, '%')}${more}`;
  if (/^%+kernelgate\b/.test(line)) {
    return `${before}${said.replace(/\b(verify|benchmark|profile)\b/, verb)}${rest}`;
  }
  const plain = said.replace(/\s+--(benchmark|profile)\b/g, '').trimEnd();
  return `${before}${plain}${verb === 'verify' ? '' : ` --${verb}`}${rest}`;
}

/**
 * The same for a program whose magic a person has changed in the cell below:
 * their line, with the program as it reads now. Null where it is no such magic.
 */
export function editedMagicSource(
  verb: Verb,
  source: string,
  edited: string,
  thorough = false
): string | null {
  const [program, own] = [magicParts(source), magicParts(edited)];
  const name = (line: string) => /^%+(\w+)/.exec(line)?.[1];
  if (!program || !own || name(program.line) !== name(own.line)) {
    return null;
  }
  const signs = /^%+/.exec(program.line)?.[0] ?? '';
  const line = own.line.replace(/^%+/, signs);
  return magicSource(verb, `${own.before}${line}\n${program.body}`, thorough);
}

/**
 * A verify cell that a person has changed, with another verb and problem, if
 * one is given: their options stay. Null where it does not hold one call of
 * ours, and no magic.
 */
export function editedCallSource(
  verb: Verb,
  operator: IOperator | null,
  edited: string,
  thorough = false
): string | null {
  if (/^\s*%{1,2}kernelgate\b/.test(edited)) {
    return magicSource(verb, edited, thorough);
  }
  const [before, ...calls] = edited.split(
    /\bkernelgate\.(?:verify|benchmark|profile)\(/
  );
  const [call] = calls;
  if (call === undefined || calls.length !== 1) {
    return null;
  }
  // Before the keyword that every call with a cell has.
  const isSaid = !thorough || /\bthorough\s*=/.test(call);
  if (!isSaid && !/\bcell\s*=/.test(call)) {
    return null;
  }
  const said = isSaid ? call : call.replace(/\bcell\s*=/, 'thorough=True, $&');
  const rest = operator
    ? said.replace(
        /^(\s*)("[\w-]*"|'[\w-]*')/,
        (_, space: string) => `${space}${pythonString(operator.id)}`
      )
    : said;
  return `${before}kernelgate.${verb}(${rest}`;
}

function magicParts(source: string) {
  const [, before, line, body] =
    /^(\s*(?:%load_ext kernelgate\s+)?)([^\n]*)\n?([^]*)$/.exec(source) ?? [];
  return before === undefined || line === undefined || body === undefined
    ? null
    : { before, line, body };
}
