/**
 * The runs of all open notebooks, and which notebook is in front.
 */

import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ISignal, Signal } from '@lumino/signaling';

import { IReportHistory, IRun } from '../tokens';
import { NotebookRuns } from './runs';

export class ReportHistory implements IReportHistory {
  constructor(tracker: INotebookTracker) {
    this._tracker = tracker;
    tracker.forEach(panel => this._add(panel));
    tracker.widgetAdded.connect((_, panel) => this._add(panel), this);
    tracker.currentChanged.connect(() => this._changed.emit(), this);
  }

  get runs(): readonly IRun[] {
    const panel = this._tracker.currentWidget;
    return (panel && this._notebooks.get(panel)?.runs) ?? [];
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  find(id: string): { notebook: NotebookPanel; run: IRun } | null {
    for (const [notebook, { runs }] of this._notebooks) {
      const run = runs.find(({ report }) => report.run === id);
      if (run) {
        return { notebook, run };
      }
    }
    return null;
  }

  private _add(panel: NotebookPanel): void {
    if (this._notebooks.has(panel)) {
      return;
    }
    const runs = new NotebookRuns(panel);
    this._notebooks.set(panel, runs);
    runs.changed.connect(() => {
      if (panel === this._tracker.currentWidget) {
        this._changed.emit();
      }
    }, this);
    panel.disposed.connect(() => {
      this._notebooks.delete(panel);
      runs.dispose();
    }, this);
  }

  private _tracker: INotebookTracker;
  private _notebooks = new Map<NotebookPanel, NotebookRuns>();
  private _changed = new Signal<this, void>(this);
}
