/**
 * The programs in the cells of the open notebooks: what each is checked against,
 * and the bar below it that says so.
 *
 * In: the notebooks, as they are edited. Out: `IPrograms`, and the bars. Nothing
 * is asked of a kernel, and nothing runs.
 */

import { CodeCell } from '@jupyterlab/cells';
import { Notebook, NotebookPanel } from '@jupyterlab/notebook';
import { ISignal, Signal } from '@lumino/signaling';

import { ICellProgram, IPrograms, RunOptions } from '../../tokens';
import { CommandIDs } from '../../tokens/commandIds';
import { ICommandContext } from '../commandContext';
import { markOf } from '../cells';
import { askProblem } from '../verify/reference';
import { findTarget, ITarget } from '../verify/target';
import { ProgramBar } from './bar';
import { optionsOf } from './options';
import { ANOTHER, problemsOf } from './problems';
import { pythonReader, ReadPython } from './python';
import { say, saidOf } from './said';

/** A person who types is not disturbed. */
const SOON_MS = 200;

/** Reads no cell before it can read Python. */
export async function loadPrograms(
  context: ICommandContext
): Promise<IPrograms> {
  return new Programs(context, await pythonReader(context.languages));
}

class Programs implements IPrograms {
  constructor(
    private _context: ICommandContext,
    private _read: ReadPython
  ) {
    const { tracker, link } = _context;
    tracker.forEach(panel => this._follow(panel));
    tracker.widgetAdded.connect((_, panel) => this._follow(panel));
    tracker.activeCellChanged.connect(() => this._changed.emit());
    link.changed.connect(() => tracker.forEach(panel => this._drawSoon(panel)));
  }

  get current(): ICellProgram | null {
    const notebook = this._context.tracker.currentWidget?.content;
    const target =
      notebook && findTarget(notebook, this._context.catalogue, {});
    return target ? this._programAt(notebook, target) : null;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  choose(cellId: string, key: string): void {
    const panel = this._context.tracker.currentWidget;
    if (panel) {
      void this._choose(panel, cellId, key);
    }
  }

  set(cellId: string, options: Partial<RunOptions>): void {
    const panel = this._context.tracker.currentWidget;
    const model = panel?.content.model;
    if (panel && model) {
      const old = saidOf(model, { id: cellId }).options;
      say(model, { id: cellId }, { options: { ...old, ...options } });
      this._draw(panel);
    }
  }

  private async _choose(
    panel: NotebookPanel,
    cellId: string,
    key: string
  ): Promise<void> {
    const { catalogue, translator } = this._context;
    const { content } = panel;
    const target = findTarget(content, catalogue, { cellId });
    const problem =
      key === ANOTHER
        ? await askProblem(
            catalogue.operators,
            this._trans.__('Choose'),
            translator
          )
        : target && this._problemsAt(content, target).problems.get(key);
    if (problem && !panel.isDisposed) {
      say(content.model, { id: cellId }, { problem });
    }
    this._draw(panel);
  }

  private _follow(panel: NotebookPanel): void {
    panel.content.modelContentChanged.connect(() => this._drawSoon(panel));
    panel.disposed.connect(() => {
      clearTimeout(this._timers.get(panel));
      this._timers.delete(panel);
    });
    this._drawSoon(panel);
  }

  private _drawSoon(panel: NotebookPanel): void {
    if (!this._timers.has(panel) && !panel.isDisposed) {
      this._timers.set(
        panel,
        setTimeout(() => {
          this._timers.delete(panel);
          this._draw(panel);
        }, SOON_MS)
      );
    }
  }

  /** Each cell with a program gets its bar, and no other keeps one. */
  private _draw(panel: NotebookPanel): void {
    const { content } = panel;
    const { catalogue } = this._context;
    content.widgets.forEach(cell => {
      if (!(cell instanceof CodeCell)) {
        return;
      }
      const target = findTarget(content, catalogue, { cellId: cell.model.id });
      const isProgram =
        target?.content === 'program' && content.widgets[target.index] === cell;
      const bar = this._bars.get(cell);
      if (isProgram) {
        (bar ?? this._addBar(panel, cell)).program = this._programAt(
          content,
          target
        );
      } else if (bar) {
        bar.dispose();
        this._bars.delete(cell);
      }
    });
    this._changed.emit();
  }

  private _addBar(panel: NotebookPanel, cell: CodeCell): ProgramBar {
    const { commands } = this._context.app;
    const cellId = cell.model.id;
    const bar = new ProgramBar({
      choose: key => void this._choose(panel, cellId, key),
      run: verb => {
        this._context.app.shell.activateById(panel.id);
        void commands.execute(CommandIDs[verb], { cellId });
      },
      whyNot: verb =>
        commands.isEnabled(CommandIDs[verb])
          ? ''
          : commands.caption(CommandIDs[verb]),
      trans: this._trans
    });
    this._bars.set(cell, bar);
    bar.attachTo(cell);
    return bar;
  }

  private _programAt(notebook: Notebook, target: ITarget): ICellProgram | null {
    const cell = notebook.widgets[target.index];
    if (target.content !== 'program' || !(cell instanceof CodeCell)) {
      return null;
    }
    const { choices, chosen } = this._problemsAt(notebook, target);
    return {
      cellId: cell.model.id,
      prompt: cell.model.executionCount,
      came: this._came(cell),
      choices,
      chosen,
      options: optionsOf(notebook, target, this._context.preferences())
    };
  }

  private _came({ model }: CodeCell): string {
    const operator = this._context.catalogue.get(markOf(model).operator);
    const lines = model.sharedModel.getSource().split('\n').length;
    return operator
      ? this._trans.__('%1, %2 lines.', operator.name, lines)
      : '';
  }

  private _problemsAt(notebook: Notebook, target: ITarget) {
    return problemsOf(
      notebook,
      this._context.catalogue,
      target,
      this._read,
      this._trans
    );
  }

  private get _trans() {
    return this._context.translator.load('jupyterlab_kernelgate');
  }

  private _bars = new WeakMap<CodeCell, ProgramBar>();
  private _timers = new Map<NotebookPanel, ReturnType<typeof setTimeout>>();
  private _changed = new Signal<this, void>(this);
}
