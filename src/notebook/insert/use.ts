/**
 * The line that makes a module of an inserted program, with a person's values.
 *
 * In: an operator, and what a command was given, which may be anything. Out: one
 * line of Python in which only names of the catalogue and numbers stand; null
 * where there is nothing to say.
 */

import { IOperator, IParameter } from '../../tokens';

export function useSource(
  { parameters = [] }: Pick<IOperator, 'parameters'>,
  values: unknown
): string | null {
  const given = new Map<string, unknown>(Object.entries(Object(values)));
  const words: string[] = [];
  for (const parameter of parameters) {
    const value = given.get(parameter.name);
    if (isValue(parameter, value)) {
      words.push(`${parameter.name}=${literal(parameter, value)}`);
    } else if (value !== undefined || parameter.default === null) {
      // A call that lacks a value would fail when it is run.
      return null;
    }
  }
  return words.length > 0 ? `layer = ModelNew(${words.join(', ')})` : null;
}

function isValue({ type }: IParameter, value: unknown): value is number {
  return (
    typeof value === 'number' &&
    (type === 'int' ? Number.isSafeInteger(value) : Number.isFinite(value))
  );
}

function literal({ type }: IParameter, value: number): string {
  return type === 'float' && Number.isSafeInteger(value)
    ? value.toFixed(1)
    : String(value);
}
