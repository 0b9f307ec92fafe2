/**
 * What a program is checked against where the notebook does not say it.
 *
 * In: a person's words in a dialog. Out: a reference, which the kernel reads, or
 * an operator. Not here: whether it is right; the run says so.
 */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { IOperator } from '../../tokens';
import type { Problem } from './verifySource';
import '../../../style/dialog.css';

/** A PyTorch expression, a file, a cell or a name; and its inputs, if it defines none. */
export interface IReference {
  readonly reference: string;
  readonly inputs: string;
}

/** Asks what a program is checked against; null where the person cancels or names nothing. */
export async function askProblem(
  operators: readonly IOperator[],
  okLabel: string,
  translator: ITranslator
): Promise<Problem | null> {
  const trans = translator.load('jupyterlab_kernelgate');
  const { button, value } = await showDialog({
    title: trans.__('What is this program checked against?'),
    body: new ProblemForm(operators, trans),
    focusNodeSelector: 'input',
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: okLabel })]
  });
  return button.accept ? value : null;
}

/** The body of the dialog: a reference with its inputs, or an operator of the catalogue. */
export class ProblemForm
  extends Widget
  implements Dialog.IBodyWidget<Problem | null>
{
  constructor(
    private _operators: readonly IOperator[],
    trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-KernelReference');
    this._reference = this._field(
      trans.__('Reference'),
      'torch.nn.GELU()',
      trans.__(
        'A module or function of PyTorch, a file, or the name that a cell defines, such as Model.'
      )
    );
    this._inputs = this._field(
      trans.__('Inputs'),
      '512x3072',
      trans.__(
        'Sizes, with commas between several inputs, or an expression. Empty if the reference defines get_inputs.'
      )
    );
    this._operator.append(
      new Option(trans.__('None: the reference above'), ''),
      ..._operators.map(({ id, name }) => new Option(name, id))
    );
    this._operator.onchange = () => {
      const isOperator = this._operator.value !== '';
      this._reference.disabled = isOperator;
      this._inputs.disabled = isOperator;
    };
    const label = document.createElement('label');
    label.append(trans.__('Or an operator of the catalogue'), this._operator);
    this.node.append(label);
  }

  getValue(): Problem | null {
    const reference = this._reference.value.trim();
    const id = this._operator.value;
    return id !== ''
      ? (this._operators.find(one => one.id === id) ?? null)
      : reference !== ''
        ? { reference, inputs: this._inputs.value.trim() }
        : null;
  }

  private _field(
    name: string,
    example: string,
    says: string
  ): HTMLInputElement {
    const label = document.createElement('label');
    const input = document.createElement('input');
    const help = document.createElement('small');
    input.className = 'jp-mod-styled';
    input.placeholder = example;
    input.spellcheck = false;
    help.textContent = says;
    label.append(name, input, help);
    this.node.append(label);
    return input;
  }

  private readonly _reference: HTMLInputElement;
  private readonly _inputs: HTMLInputElement;
  private readonly _operator = document.createElement('select');
}
