/**
 * Paste and verify: from a model's answer that a person has copied to its
 * verdict.
 *
 * In: the clipboard, at a press. Out: cells with the answer's program and, where
 * it brings one, its problem; null where there is no program, which is said. Not
 * here: how the program is verified.
 */

import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { TOAST_MS } from '../../ui/toast';
import { insertCells } from '../cells';
import { readAnswer } from '../programs/answer';
import { ReadPython } from '../programs/python';

import '../../../style/dialog.css';

/** The text of the clipboard; where the browser does not give it, what a person pastes into a dialog; null for none. */
export async function copiedText(
  reading: Promise<string>,
  trans: TranslationBundle
): Promise<string | null> {
  const text = await reading.catch(() => '');
  if (text.trim() !== '') {
    return text;
  }
  const { button, value } = await showDialog({
    title: trans.__('Paste the answer here'),
    body: new AnswerForm(trans),
    focusNodeSelector: 'textarea',
    buttons: [
      Dialog.cancelButton(),
      Dialog.okButton({ label: trans.__('Verify') })
    ]
  });
  return button.accept ? value : null;
}

class AnswerForm extends Widget implements Dialog.IBodyWidget<string> {
  constructor(trans: TranslationBundle) {
    super();
    this.addClass('jp-KernelAnswer');
    const help = document.createElement('p');
    help.textContent = trans.__(
      'The browser did not give the text of the clipboard. An answer may have prose and several blocks of code.'
    );
    this._text.setAttribute('aria-label', trans.__('Answer'));
    this._text.spellcheck = false;
    this._text.rows = 12;
    this.node.append(help, this._text);
  }

  getValue(): string {
    return this._text.value;
  }

  private readonly _text = document.createElement('textarea');
}

/** Puts the answer's cells into a notebook; the id of the one with the program, null where the answer has none. */
export function insertAnswer(
  { content }: NotebookPanel,
  text: string,
  read: ReadPython,
  trans: TranslationBundle
): string | null {
  const answer = readAnswer(text, read);
  if (!answer) {
    Notification.warning(
      trans.__(
        'What was copied defines no ModelNew. Copy the whole answer, with its block of Python.'
      ),
      { autoClose: TOAST_MS }
    );
    return null;
  }
  const { model, program } = answer;
  insertCells(content, model === null ? [program] : [model, program]);
  return content.activeCell?.model.id ?? null;
}
