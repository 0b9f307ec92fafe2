/**
 * Asks before a cell is run that came with the notebook's file.
 *
 * In: a cell that a press is about to run. Out: whether it may. What the person
 * cannot see in the notebook, far to the right or folded away, is shown whole.
 */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { ICellModel } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { accept, isBrought } from '../brought';
import { IShownPart, shownParts } from './shownText';
import { isHarmless, readVerifyCall } from './verifySource';

import '../../../style/dialog.css';

/** What a press runs: a cell, or the code that a program is compared with. */
export type Purpose = 'cell' | 'reference';

/** True for what was written or run here, and for a call of ours that runs nothing but a confined program. */
export async function mayRun(
  { model }: Notebook,
  cells: readonly ICellModel[],
  purpose: Purpose,
  translator: ITranslator
): Promise<boolean> {
  const asked = cells.filter(cell => {
    const source = cell.sharedModel.getSource();
    const call = purpose === 'cell' ? readVerifyCall(source) : null;
    return model && isBrought(model, cell) && !(call && isHarmless(call));
  });
  if (asked.length === 0) {
    return true;
  }
  const sourceNow = () =>
    asked.map(cell => cell.sharedModel.getSource()).join('\n\n');
  const source = sourceNow();
  const trans = translator.load('jupyterlab_kernelgate');
  const { button } = await showDialog({
    title:
      purpose === 'cell'
        ? trans.__('This notebook brings a cell that verifies. Run it?')
        : trans.__('This notebook brings the reference. Run it?'),
    body: new ShownSource(source, trans),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({ label: trans.__('Run it') })
    ],
    defaultButton: 0
  });
  // Another text may have come meanwhile, from another page.
  const isSame = sourceNow() === source;
  if (button.accept && isSame) {
    asked.forEach(accept);
  }
  return button.accept && isSame;
}

class ShownSource extends Widget {
  constructor(source: string, trans: TranslationBundle) {
    super();
    this.addClass('jp-KernelShownSource');
    const says = document.createElement('p');
    says.textContent = trans.__(
      'It came with the file, and nobody has run it since this page was opened. It can do whatever you can do. This is all of it:'
    );
    const text = document.createElement('pre');
    text.tabIndex = 0;
    text.append(...shownParts(source).map(part => nodeOf(part, trans)));
    this.node.append(says, text);
  }
}

function nodeOf(part: IShownPart, trans: TranslationBundle): Node | string {
  if (part.kind === 'text') {
    return part.text;
  }
  const node = document.createElement(part.kind === 'name' ? 'mark' : 'span');
  node.textContent =
    part.kind === 'blanks'
      ? part.text
      : part.text === 'blanks'
        ? trans.__('%1 blanks', part.count)
        : part.text === 'empty lines'
          ? trans.__('%1 empty lines', part.count)
          : part.text;
  return node;
}
