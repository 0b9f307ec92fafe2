import { act } from 'react';

import { ICellProgram } from '../../tokens';
import { MODEL_MIME } from '../../model';
import { actions, draw, run, setUp } from './draw';

const PROGRAM: ICellProgram = {
  cellId: 'mine',
  prompt: 3,
  came: '',
  choices: [
    { key: 'cell:a', label: 'Model above (16x64)', isCatalogue: false },
    { key: 'leakyrelu', label: 'LeakyReLU', isCatalogue: true }
  ],
  chosen: 'cell:a',
  options: {
    device: 'auto',
    contract: 'problem',
    thorough: false,
    rtol: 0,
    atol: 0.5,
    budget: 20
  }
};

setUp();

/** As a person does. */
function change(field: HTMLInputElement | HTMLSelectElement, value: string) {
  const kind =
    field instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement;
  act(() => {
    Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(
      field,
      value
    );
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  });
}

describe('This cell', () => {
  it('stands before the runs, and these before the catalogue', () => {
    const { text } = draw({ program: PROGRAM });
    const at = ['This cell', 'Runs in this notebook', 'Catalogue'].map(words =>
      text.indexOf(words)
    );
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(0);
  });

  it('leads to a program where the cell has none', () => {
    const { button } = draw({ program: null });
    button('Paste and verify').click();
    expect(actions.paste).toHaveBeenCalledTimes(1);
  });

  it('says what the program is checked against and how, and takes other words', () => {
    const { node, text, button } = draw({ program: PROGRAM });
    expect(text).toContain('atol 0.5');
    const [problem, effort, contract] = [...node.querySelectorAll('select')];
    change(problem!, 'leakyrelu');
    expect(actions.choose).toHaveBeenCalledWith('mine', 'leakyrelu');
    change(effort!, 'thorough');
    change(contract!, 'drop-in');
    const rtol = node.querySelector<HTMLInputElement>('[inputmode="decimal"]')!;
    change(rtol, '1e-');
    expect(rtol.getAttribute('aria-invalid')).toBe('true');
    change(rtol, '1e-3');
    expect(actions.setOptions.mock.calls).toEqual([
      ['mine', { thorough: true }],
      ['mine', { contract: 'drop-in' }],
      ['mine', { rtol: 0.001 }]
    ]);
    button('Verify this cell').click();
    expect(actions.runCell).toHaveBeenCalledWith('verify', 'mine');
  });

  it('copies the last run of the cell for the model', () => {
    const last = run('wrong-result', {
      output: { data: { [MODEL_MIME]: 'FAIL: wrong' } }
    });
    const program = {
      ...PROGRAM,
      cellId: last.report.candidate.cell_id ?? ''
    };
    const { button } = draw({ program, runs: [last] });
    button('Copy run 1 for the model').click();
    expect(actions.copyForModel).toHaveBeenCalledWith(last.id);
  });
});
