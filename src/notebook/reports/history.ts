/**
 * The runs of all open notebooks, and which notebook is in front.
 */

import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { KernelMessage } from '@jupyterlab/services';
import { ISignal, Signal } from '@lumino/signaling';

import { IRunState, ReportOutput } from '../../model';
import {
  ICatalogue,
  IFoundRun,
  IKernelLink,
  IReportHistory,
  IRun
} from '../../tokens';
import type { NotebookRuns } from './runs';

export class ReportHistory implements IReportHistory {
  constructor(
    tracker: INotebookTracker,
    private _link?: IKernelLink,
    private _catalogue?: ICatalogue
  ) {
    this._tracker = tracker;
    _link?.changed.connect(() => this._reach(), this);
    tracker.forEach(panel => this._add(panel));
    tracker.widgetAdded.connect((_, panel) => this._add(panel), this);
    tracker.currentChanged.connect(() => this._changed.emit(), this);
  }

  get runs(): readonly IRun[] {
    const panel = this._tracker.currentWidget;
    return panel ? this.runsOf(panel) : [];
  }

  runsOf(notebook: NotebookPanel): readonly IRun[] {
    return this._notebooks.get(notebook)?.runs ?? [];
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get updated(): ISignal<this, NotebookPanel> {
    return this._updated;
  }

  find(id: string): IFoundRun | null {
    const notebook = this._tracker.currentWidget;
    const run = this.runs.find(one => one.id === id);
    return notebook && run ? { notebook, run } : null;
  }

  holding(output: ReportOutput): IFoundRun | null {
    for (const [notebook, runs] of this._likeliest(output)) {
      const run = runs.holding(output);
      if (run) {
        return { notebook, run };
      }
    }
    return null;
  }

  async programOf({ notebook, run }: IFoundRun): Promise<string | null> {
    const ours = this._catalogue?.get(run.report.problem.id)?.loadProgram;
    return (
      (await this._notebooks.get(notebook)?.programOf(run, ours ?? null)) ??
      null
    );
  }

  remove({ notebook, run }: IFoundRun): () => void {
    return this._notebooks.get(notebook)?.remove(run) ?? (() => undefined);
  }

  /** What is known of an output beyond its report; null where it is in no open notebook. */
  stateOf(output: ReportOutput): IRunState | null {
    for (const [, runs] of this._likeliest(output)) {
      const state = runs.stateOf(output);
      if (state) {
        return state;
      }
    }
    return null;
  }

  private _reach(): void {
    for (const runs of this._notebooks.values()) {
      runs.isReachable = this._link?.isReachable ?? true;
    }
  }

  /** The notebook that has seen the output; all of them where it is new. Of two views, the one in front is first. */
  private _likeliest(output: ReportOutput): [NotebookPanel, NotebookRuns][] {
    const front = this._tracker.currentWidget;
    const all = [...this._notebooks].sort(
      ([one], [other]) => Number(other === front) - Number(one === front)
    );
    const known = all.filter(([, runs]) => runs.knows(output));
    return known.length > 0 ? known : all;
  }

  /** What reads reports is loaded with the first notebook; what its kernel says meanwhile is kept. */
  private _add(panel: NotebookPanel): void {
    if (this._panels.has(panel)) {
      return;
    }
    this._panels.add(panel);
    const { iopubMessage } = panel.sessionContext;
    const early: KernelMessage.IMessage[] = [];
    const keep = (_: unknown, msg: KernelMessage.IMessage) => {
      early.push(msg);
    };
    iopubMessage.connect(keep);
    panel.disposed.connect(() => this._remove(panel), this);
    void import('./runs').then(loaded => {
      iopubMessage.disconnect(keep);
      if (this._panels.has(panel)) {
        this._follow(panel, loaded.NotebookRuns, early);
      }
    });
  }

  private _follow(
    panel: NotebookPanel,
    Runs: typeof NotebookRuns,
    early: readonly KernelMessage.IMessage[]
  ): void {
    const runs = new Runs(panel, client => this._isOfOther(panel, client));
    this._notebooks.set(panel, runs);
    this._reach();
    runs.changed.connect(() => {
      this._updated.emit(panel);
      if (panel === this._tracker.currentWidget) {
        this._changed.emit();
      }
    }, this);
    early.forEach(msg => runs.hear(msg));
  }

  private _remove(panel: NotebookPanel): void {
    this._panels.delete(panel);
    this._notebooks.get(panel)?.dispose();
    this._notebooks.delete(panel);
  }

  /** Whether a client of a kernel is a notebook of another file. */
  private _isOfOther(panel: NotebookPanel, client: string): boolean {
    return [...this._panels].some(
      ({ context, sessionContext }) =>
        context !== panel.context &&
        sessionContext.session?.kernel?.clientId === client
    );
  }

  private _tracker: INotebookTracker;
  /** The open notebooks. */
  private _panels = new Set<NotebookPanel>();
  private _notebooks = new Map<NotebookPanel, NotebookRuns>();
  private _changed = new Signal<this, void>(this);
  private _updated = new Signal<this, NotebookPanel>(this);
}
