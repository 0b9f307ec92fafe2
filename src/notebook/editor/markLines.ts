/**
 * Shows in an editor what is known about its lines: a mark in the gutter, an
 * underline, and the words with the fix in a tooltip. F8 goes to the next one.
 *
 * In: an editor, the model of its text, and the marks. Out: CodeMirror's own
 * diagnostics. A fix is written only by a press, below the lines that it writes.
 */

import {
  Action,
  Diagnostic,
  lintGutter,
  nextDiagnostic,
  previousDiagnostic,
  setDiagnostics
} from '@codemirror/lint';
import { Compartment, EditorState, Extension, Prec } from '@codemirror/state';
import {
  EditorView,
  keymap,
  PluginValue,
  ViewPlugin,
  ViewUpdate
} from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { changedTokens, type ILineMark } from '../../model';
import type { CellMarks } from './cellMarks';

export interface IMarkOptions {
  model: object;
  marks: Pick<CellMarks, 'of' | 'changed'>;
  trans: TranslationBundle;
}

export function markLines(options: IMarkOptions): Extension {
  const gutter = new Compartment();
  return [
    gutter.of([]),
    ViewPlugin.define(view => new LineMarker(view, gutter, options)),
    Prec.high(
      keymap.of([{ key: 'F8', run: nextDiagnostic, shift: previousDiagnostic }])
    )
  ];
}

class LineMarker implements PluginValue {
  constructor(
    private _view: EditorView,
    private _gutter: Compartment,
    private _options: IMarkOptions
  ) {
    _options.marks.changed.connect(this._show, this);
    this._soon(() => this._show());
  }

  update({ docChanged }: ViewUpdate): void {
    if (docChanged && this._shown.length > 0) {
      // They belong to the text that ran. If that text comes back, so do they.
      this._soon(() => this._draw([]));
    }
  }

  destroy(): void {
    this._isGone = true;
    Signal.clearData(this);
  }

  private _show(): void {
    const marks = this._options.marks.of(this._options.model);
    if (marks !== null) {
      this._draw(marks);
    }
  }

  private _draw(marks: readonly ILineMark[]): void {
    if (marks === this._shown || this._isGone) {
      return;
    }
    const isChange = JSON.stringify(marks) !== JSON.stringify(this._shown);
    this._shown = marks;
    if (isChange) {
      // The gutter only learns of marks that are set after it was added.
      this._view.dispatch({
        effects: this._gutter.reconfigure(marks.length > 0 ? lintGutter() : [])
      });
      const { state } = this._view;
      const found = marks.map(mark =>
        diagnosticOf(state, mark, this._options.trans)
      );
      this._view.dispatch(setDiagnostics(state, found));
    }
  }

  /** An editor accepts no change while it is applying one. */
  private _soon(act: () => void): void {
    void Promise.resolve().then(() => {
      if (!this._isGone) {
        act();
      }
    });
  }

  private _shown: readonly ILineMark[] = [];
  private _isGone = false;
}

/** What CodeMirror draws: what of the line its fix changes, or from its first to its last character. */
function diagnosticOf(
  { doc, readOnly }: EditorState,
  mark: ILineMark,
  trans: TranslationBundle
): Diagnostic {
  const { from, to, text } = doc.line(Math.min(mark.line, doc.lines));
  const indent = text.length - text.trimStart().length;
  const row = mark.fix?.rows.find(
    one => one.sign === '−' && one.line === mark.line
  );
  const [first, last] = (row && changedTokens(mark.fix!.rows, row)) ?? [0, 0];
  const isPart = last > first && last <= text.length;
  return {
    from: isPart ? from + first : Math.min(from + indent, to),
    to: isPart ? from + last : to,
    severity: mark.severity,
    source: 'KernelGate',
    message: [mark.text, mark.nextStep].filter(part => part !== '').join('. '),
    renderMessage: () => wordsOf(mark),
    actions: mark.fix && !readOnly ? [fixAction(mark.fix, trans)] : []
  };
}

/** The message, and the text that the fix writes. */
function wordsOf({ text, nextStep, fix }: ILineMark): Node {
  const node = document.createElement('div');
  node.className = 'jp-KernelMark';
  const add = (name: 'p' | 'pre', words: string) => {
    const part = document.createElement(name);
    part.textContent = words;
    node.append(part);
  };
  add('p', text);
  if (nextStep) {
    add('p', nextStep);
  }
  if (fix) {
    add('pre', fix.rows.map(row => `${row.sign} ${row.text}`).join('\n'));
  }
  return node;
}

function fixAction(
  { offset, end, text }: NonNullable<ILineMark['fix']>,
  trans: TranslationBundle
): Action {
  return {
    name: trans.__('Insert fix'),
    apply: view => {
      view.dispatch({ changes: { from: offset, to: end, insert: text } });
    }
  };
}
