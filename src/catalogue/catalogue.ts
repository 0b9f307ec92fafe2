/**
 * The operators of the catalogue, bundled with the extension.
 *
 * In: what scripts/generate.mjs found in python/kernelgate/catalogue, and what other
 * extensions add. Out: `ICatalogue`.
 * Not here: what is done with an operator (`notebook`, `panel`).
 */

import { DisposableDelegate, IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { ICatalogue, IOperator, IOtherForm, IParameter } from '../tokens';
import { IOperatorFiles, OPERATORS } from './operators';

/** The operator that a manifest describes; throws where it is no manifest of an operator. */
export function readOperator({
  manifest,
  ...files
}: IOperatorFiles): IOperator {
  const fields = new Map(Object.entries(manifest ?? {}));
  const text = (name: 'id' | 'name' | 'replaces' | 'summary' | 'magic') => {
    const value: unknown = fields.get(name);
    if (typeof value !== 'string' || value === '') {
      throw new Error(`operator.json: ${name} must be a text`);
    }
    return value;
  };
  const group = fields.get('group');
  const { words } = (fields.get('figure') ?? {}) as { words?: unknown };
  return {
    id: text('id'),
    name: text('name'),
    replaces: text('replaces'),
    summary: text('summary'),
    magic: text('magic'),
    ...(typeof group === 'string' && group !== '' && { group }),
    figure: typeof words === 'string' ? words : null,
    parameters: readParameters(fields.get('parameters')),
    loadProgram: files.loadProgram,
    otherForms: otherFormsOf(files)
  };
}

/** The same as `form_text` of the Python package makes of the same files. */
function otherFormsOf({
  loadProgram,
  loadShort,
  givenUp,
  loadProblem
}: Omit<IOperatorFiles, 'manifest'>): IOtherForm[] {
  const forms: IOtherForm[] = [];
  if (loadShort) {
    forms.push({ form: 'short', loadProgram: loadShort, givenUp });
  }
  if (loadProgram && loadProblem) {
    const load = async () =>
      (await Promise.all([loadProgram(), loadProblem()])).join('\n\n');
    forms.push({ form: 'benchmark', loadProgram: load, givenUp: '' });
  }
  return forms;
}

/** Those that can be given as numbers; they become Python, so that a name is a name. */
function readParameters(list: unknown): IParameter[] {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return entries.flatMap(entry => {
    const { name, type, default: given } = Object(entry);
    const isOne =
      typeof name === 'string' &&
      /^[A-Za-z_]\w*$/.test(name) &&
      (type === 'int' || type === 'float');
    return isOne
      ? [{ name, type, default: typeof given === 'number' ? given : null }]
      : [];
  });
}

export class Catalogue implements ICatalogue {
  constructor(operators: readonly IOperator[] = OPERATORS.map(readOperator)) {
    this._operators = operators;
  }

  get operators(): readonly IOperator[] {
    return this._operators;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get(id: unknown): IOperator | null {
    return this.operators.find(operator => operator.id === id) ?? null;
  }

  add(operator: IOperator): IDisposable {
    if (this.get(operator.id)) {
      throw new Error(`There is an operator ${operator.id} already`);
    }
    this._setOperators([...this._operators, operator]);
    return new DisposableDelegate(() =>
      this._setOperators(this._operators.filter(one => one !== operator))
    );
  }

  private _setOperators(operators: readonly IOperator[]): void {
    this._operators = operators;
    this._changed.emit();
  }

  private _operators: readonly IOperator[];
  private _changed = new Signal<this, void>(this);
}
