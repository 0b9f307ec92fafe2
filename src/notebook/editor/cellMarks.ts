/**
 * What is known about single lines of cells in the notebook in front.
 *
 * In: its runs, and the cells as they read now. Out: for a cell, the marks of
 * the newest run of its program, or none if its text has changed since.
 */

import { INotebookTracker } from '@jupyterlab/notebook';
import { ISignal, Signal } from '@lumino/signaling';

import { ILineMark, lineMarks } from '../../model';
import { IReportHistory } from '../../tokens';
import { CellPrograms } from '../reports/program';

export class CellMarks {
  constructor(
    private _tracker: INotebookTracker,
    private _history: IReportHistory
  ) {
    _history.changed.connect(this._onChanged, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Null if nothing is known: the cell is not in the notebook in front. */
  of(model: object): readonly ILineMark[] | null {
    this._known ??= this._read();
    return this._known.get(model) ?? null;
  }

  private _onChanged(): void {
    this._known = null;
    this._changed.emit();
  }

  private _read(): Map<object, readonly ILineMark[]> {
    const newest = new Map<string, (typeof this._history.runs)[number]>();
    for (const run of this._history.runs) {
      const { cell_id } = run.report.candidate;
      if (cell_id !== null && !newest.has(cell_id)) {
        newest.set(cell_id, run);
      }
    }
    const known = new Map<object, readonly ILineMark[]>();
    for (const cell of this._tracker.currentWidget?.model?.cells ?? []) {
      const report = newest.get(cell.id)?.report;
      const isSame =
        report?.state === 'finished' &&
        this._programs.reads(cell, report.candidate.source_sha256);
      known.set(
        cell,
        isSame ? lineMarks(report, cell.sharedModel.getSource()) : NONE
      );
    }
    return known;
  }

  private _known: Map<object, readonly ILineMark[]> | null = null;
  private _programs = new CellPrograms();
  private _changed = new Signal<this, void>(this);
}

const NONE: readonly ILineMark[] = [];
