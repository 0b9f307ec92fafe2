import * as React from 'react';

import { IOperator } from '../../tokens';
import { ISectionProps } from '../props';

/** What stands in the fields, by the parameter's name. */
export type Given = Readonly<Record<string, string>>;

interface IParametersProps extends Pick<ISectionProps, 'trans'> {
  operator: IOperator;
  given: Given;
  onChange: (given: Given) => void;
}

/** The values with which the program is to be used; a cell below it says them. */
export function Parameters({
  operator: { name, parameters = [] },
  given,
  onChange,
  trans
}: IParametersProps): React.JSX.Element {
  return (
    <details className="jp-KernelPanel-parameters">
      <summary>{trans.__('Parameters')}</summary>
      <div role="group" aria-label={trans.__('Parameters of %1', name)}>
        {parameters.map(parameter => (
          <label key={parameter.name}>
            <code>{parameter.name}</code>
            <input
              type="number"
              step={parameter.type === 'int' ? 1 : 'any'}
              placeholder={parameter.default?.toString()}
              value={given[parameter.name] ?? ''}
              onChange={({ target }) =>
                onChange({ ...given, [parameter.name]: target.value })
              }
            />
          </label>
        ))}
      </div>
      <p className="jp-KernelPanel-quiet">
        {trans.__('Insert adds a cell that makes the module with them.')}
      </p>
    </details>
  );
}

/** The numbers of what was given; undefined where nothing was. */
export function valuesOf(
  { parameters = [] }: IOperator,
  given: Given
): Record<string, number> | undefined {
  const values = parameters
    .filter(({ name }) => (given[name] ?? '') !== '')
    .map(({ name }) => [name, Number(given[name])] as const);
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

/** The first parameter that lacks a value, where others have one; empty where none does. */
export function missingParameter(operator: IOperator, given: Given): string {
  const { parameters = [] } = operator;
  const values = valuesOf(operator, given);
  const needed = parameters.find(
    one => one.default === null && values?.[one.name] === undefined
  );
  const broken = parameters.find(
    ({ name, type }) =>
      type === 'int' && !Number.isSafeInteger(values?.[name] ?? 0)
  );
  return values ? ((broken ?? needed)?.name ?? '') : '';
}
