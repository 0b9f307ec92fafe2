/**
 * What a person can do with a run: in the notebook that holds it, and in no other.
 *
 * In: a run that was looked up, with its notebook. Its report is a stranger's:
 * of it only ids are used, and looked up in that notebook. Not here: where the
 * buttons are, and how the run is looked up.
 */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { ISessionContext, Notification } from '@jupyterlab/apputils';
import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import { placeFix } from '../../model';
import { IFoundRun, IReportHistory } from '../../tokens';
import { failingCaseSource } from './caseCell';
import {
  goToCell,
  indexOfCell,
  insertCodeBelow,
  insertMarkdownBelow,
  isLocked,
  markOf
} from '../cells';
import { comparisonSource } from './comparisonCell';
import { programsIn } from './program';
import { TOAST_MS } from '../../ui/toast';
import { Verb } from '../verify/verbs';
import { runCell } from '../verify/verify';

export interface IRunActionsOptions {
  app: JupyterFrontEnd;
  translator: ITranslator;
  history: IReportHistory;
  dialogs: ISessionContext.IDialogs;
  /** Runs a cell that verifies another once more. */
  verifyAgain: (
    panel: NotebookPanel,
    verb: Verb,
    cellId: string
  ) => Promise<void>;
}

export class RunActions {
  constructor(private _options: IRunActionsOptions) {}

  /** Goes to the cell that shows the run. */
  reveal({ notebook, run }: IFoundRun): void {
    if (run.cell) {
      this.revealCell(notebook, run.cell.id);
    }
  }

  /** Goes to a cell of that notebook; `line` counts from 1. */
  revealCell(panel: NotebookPanel, cellId: string, line?: number): void {
    const index = indexOfCell(panel.content, cellId);
    if (index < 0) {
      return;
    }
    this._options.app.shell.activateById(panel.id);
    goToCell(panel.content, index, { line });
    if (panel.content.activeCell) {
      NotebookActions.expandParent(panel.content.activeCell, panel.content);
    }
  }

  async runAgain({ notebook, run }: IFoundRun): Promise<void> {
    const cellId = run.cell?.id;
    if (cellId === undefined) {
      return;
    }
    const { translator, verifyAgain } = this._options;
    this.revealCell(notebook, cellId);
    const shown = notebook.content.activeCell;
    if (shown && markOf(shown.model).verify !== undefined) {
      await verifyAgain(notebook, run.report.verb, cellId);
    } else {
      await runCell(notebook, cellId, translator);
    }
  }

  /** Takes a run out of its notebook; a message offers to put it back. */
  delete(found: IFoundRun): void {
    if (found.run.isRunning) {
      return;
    }
    const putBack = this._options.history.remove(found);
    Notification.info(this._trans.__('Run %1 deleted', found.run.number), {
      autoClose: TOAST_MS,
      actions: [{ label: this._trans.__('Undo'), callback: putBack }]
    });
  }

  /** Puts the comparison of two runs of a notebook below the cell of the later one. */
  async insertComparison(before: IFoundRun, after: IFoundRun): Promise<void> {
    const { history } = this._options;
    const { notebook, run } = after;
    const [old, now] = await Promise.all(
      [before, after].map(async found => ({
        run: found.run,
        program: await history.programOf(found).catch(() => null)
      }))
    );
    if (!old || !now || notebook.isDisposed) {
      return;
    }
    const { content } = notebook;
    const index = indexOfCell(content, run.cell?.id ?? '');
    this._options.app.shell.activateById(notebook.id);
    insertMarkdownBelow(
      content,
      index < 0 ? content.activeCellIndex : index,
      comparisonSource(old, now, this._trans)
    );
  }

  insertFix({ notebook, run }: IFoundRun): void {
    const { failure, candidate } = run.report;
    if (!failure?.edit || !candidate.cell_id) {
      return;
    }
    const index = indexOfCell(notebook.content, candidate.cell_id);
    const cell = notebook.content.widgets[index]?.model;
    const model = cell?.sharedModel;
    const source = model?.getSource() ?? '';
    // The place is one of the text that was run, and of no other.
    const isSame = programsIn(source).has(candidate.source_sha256);
    const fix = isSame ? placeFix(source, failure) : null;
    if (cell && isLocked(cell)) {
      Notification.warning(
        this._trans.__('The cell is locked, so that the fix was not inserted.'),
        { autoClose: TOAST_MS }
      );
      return;
    }
    if (!model || fix?.kind !== 'placed') {
      Notification.warning(
        isSame
          ? this._trans.__('The fix was not inserted: the report is in doubt.')
          : this._trans.__(
              'The cell was edited after this report, so that the fix has no place in it. Run it again.'
            ),
        { autoClose: TOAST_MS }
      );
      return;
    }
    model.updateSource(fix.offset, fix.end, fix.text);
    this.revealCell(notebook, candidate.cell_id, fix.line);
  }

  insertFailingCase({ notebook, run }: IFoundRun): void {
    const source = failingCaseSource(run.report);
    if (!source) {
      return;
    }
    const { content, id } = notebook;
    const index = indexOfCell(content, run.report.candidate.cell_id ?? '');
    if (index < 0) {
      Notification.warning(
        this._trans.__(
          'The cell that was judged is no longer in this notebook.'
        ),
        { autoClose: TOAST_MS }
      );
      return;
    }
    this._options.app.shell.activateById(id);
    insertCodeBelow(content, index, source);
  }

  /** Interrupts the kernel of a notebook. */
  async interrupt({ sessionContext }: NotebookPanel): Promise<void> {
    try {
      await sessionContext.session?.kernel?.interrupt();
    } catch {
      Notification.error(
        this._trans.__(
          'The kernel did not take the interrupt. Restart it to end the run.'
        ),
        { autoClose: false }
      );
    }
  }

  /** Asks first, as Lab does; where the kernel died, there is nothing to lose, and another one starts. */
  async restartKernel(notebook: NotebookPanel): Promise<void> {
    const { app, dialogs } = this._options;
    const { sessionContext } = notebook;
    const kernel = sessionContext.session?.kernel;
    if (kernel?.status === 'dead') {
      // Lab refuses to restart it. Where it went with its gateway, the server
      // says once that the session is broken, and forgets it.
      await sessionContext.shutdown().catch(() => sessionContext.shutdown());
      await sessionContext.changeKernel({ name: kernel.name });
      return;
    }
    app.shell.activateById(notebook.id);
    // Lab's command would restart the kernel of the notebook that is in front now.
    await dialogs.restart(sessionContext);
  }

  private get _trans() {
    return this._options.translator.load('jupyterlab_kernelgate');
  }
}
