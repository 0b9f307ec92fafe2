/**
 * The operators of the catalogue, bundled with the extension.
 *
 * In: what scripts/generate.mjs found in python/kernelgate/catalogue. Out: `ICatalogue`.
 * Not here: what is done with an operator (`notebook`, `panel`).
 */

import { ICatalogue, IOperator } from '../tokens';
import { OPERATORS } from './operators';

/** The operator that a manifest describes; throws where it is no manifest of an operator. */
export function readOperator(
  manifest: unknown,
  loadProgram: IOperator['loadProgram']
): IOperator {
  const fields = new Map(Object.entries(manifest ?? {}));
  const text = (name: Exclude<keyof IOperator, 'loadProgram' | 'figure'>) => {
    const value: unknown = fields.get(name);
    if (typeof value !== 'string' || value === '') {
      throw new Error(`operator.json: ${name} must be a text`);
    }
    return value;
  };
  const { words } = (fields.get('figure') ?? {}) as { words?: unknown };
  return {
    id: text('id'),
    name: text('name'),
    replaces: text('replaces'),
    summary: text('summary'),
    magic: text('magic'),
    figure: typeof words === 'string' ? words : null,
    loadProgram
  };
}

export class Catalogue implements ICatalogue {
  constructor(
    operators: readonly IOperator[] = OPERATORS.map(entry =>
      readOperator(entry.manifest, entry.loadProgram)
    )
  ) {
    this.operators = operators;
  }

  readonly operators: readonly IOperator[];

  get(id: unknown): IOperator | null {
    return this.operators.find(operator => operator.id === id) ?? null;
  }
}
