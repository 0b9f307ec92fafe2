import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IOperator, PROGRAM_FORMS, ProgramForm } from '../../tokens';
import { ISectionProps } from '../props';

interface IFormProps extends Pick<ISectionProps, 'trans'> {
  operator: IOperator;
  form: ProgramForm;
  onChange: (form: ProgramForm) => void;
}

/** The choice of how the program is written, and what the chosen form lacks; nothing where there is one form. */
export function FormChoice({
  operator: { name, otherForms = [] },
  form,
  onChange,
  trans
}: IFormProps): React.JSX.Element | null {
  const hintId = React.useId();
  if (otherForms.length === 0) {
    return null;
  }
  const offered = PROGRAM_FORMS.filter(
    one => one === 'full' || otherForms.some(other => other.form === one)
  );
  const givenUp = otherForms.find(one => one.form === form)?.givenUp;
  const hasHint = otherForms.some(one => one.givenUp);
  return (
    <div className="jp-KernelPanel-form">
      <label>
        <span>{trans.__('Form')}</span>
        <select
          aria-label={trans.__('Form of %1', name)}
          aria-describedby={hasHint ? hintId : undefined}
          value={form}
          onChange={({ target }) => {
            const chosen = offered.find(one => one === target.value);
            if (chosen) {
              onChange(chosen);
            }
          }}
        >
          {offered.map(one => (
            <option key={one} value={one}>
              {formWords(one, trans)}
            </option>
          ))}
        </select>
      </label>
      {hasHint && (
        <p className="jp-KernelPanel-quiet" id={hintId} role="status">
          {givenUp && (
            <>
              {trans.__('Gives up:')} <span>{givenUp}</span>
            </>
          )}
        </p>
      )}
    </div>
  );
}

function formWords(form: ProgramForm, trans: TranslationBundle): string {
  switch (form) {
    case 'full':
      return trans.__('Full');
    case 'short':
      return trans.__('Short, to read');
    case 'benchmark':
      return trans.__('Benchmark, with its problem');
  }
}
