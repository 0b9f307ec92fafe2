/**
 * A problem of a person's own: what a program is checked against if it
 * belongs to no operator.
 *
 * In: a person's words in a dialog. Out: a reference, which the kernel reads.
 * Not here: whether it is right; the run says so.
 */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import '../../../style/dialog.css';

/** A PyTorch expression, a file, a cell or a name; and its inputs, if it defines none. */
export interface IReference {
  readonly reference: string;
  readonly inputs: string;
}

/** Asks for a reference; null where the person cancels or names none. */
export async function askReference(
  okLabel: string,
  translator: ITranslator
): Promise<IReference | null> {
  const trans = translator.load('jupyterlab_kernelgate');
  const { button, value } = await showDialog({
    title: trans.__('What is this program checked against?'),
    body: new ReferenceForm(trans),
    focusNodeSelector: 'input',
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: okLabel })]
  });
  return button.accept && value?.reference ? value : null;
}

/** The body of the dialog: two fields, each with a line on what may stand there. */
export class ReferenceForm
  extends Widget
  implements Dialog.IBodyWidget<IReference>
{
  constructor(trans: TranslationBundle) {
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
  }

  getValue(): IReference {
    return {
      reference: this._reference.value.trim(),
      inputs: this._inputs.value.trim()
    };
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
}
