/**
 * The outputs of one notebook that hold a report.
 *
 * In: its cells. Out: the outputs from the top, each read once until it changes.
 * Not here: what is known of a run beyond its report (`runs`).
 */

import { ICodeCellModel, isCodeCellModel } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { IOutputModel } from '@jupyterlab/rendermime';
import { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import {
  IReport,
  REPORT_MIME,
  ReportOutput,
  validateReport
} from '../../model';

/** What brings an output, or another one in its place. */
export const REPORT_MESSAGES = [
  'display_data',
  'update_display_data',
  'execute_result'
];

/** An output with a report, and the cell that it is of. */
export interface IHeld {
  readonly output: IOutputModel;
  readonly cell: ICodeCellModel;
  readonly report: IReport;
}

export class HeldReports implements IDisposable {
  constructor(
    private _panel: NotebookPanel,
    private _onChanged: () => void
  ) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
  }

  /** From the top. */
  *all(): Iterable<IHeld> {
    for (const cell of this._panel.model?.cells ?? []) {
      if (isCodeCellModel(cell)) {
        for (let n = 0; n < cell.outputs.length; n++) {
          const output = cell.outputs.get(n);
          const report = this._reportIn(output);
          if (report) {
            this._owners.set(output, cell);
            yield { output, cell, report };
          }
        }
      }
    }
  }

  /** Whether the output was seen in this notebook. */
  knows(output: ReportOutput): boolean {
    return this._owners.has(output);
  }

  /** Null where the output is none of this notebook's, or holds no report. */
  find(output: ReportOutput): IHeld | null {
    const cell = this._owners.get(output);
    const held = output as IOutputModel;
    const report = cell && !cell.isDisposed ? this._reportIn(held) : null;
    if (cell && report) {
      return { output: held, cell, report };
    }
    return [...this.all()].find(one => one.output === output) ?? null;
  }

  /** Takes an output out of its cell; the answer puts it back where the cell still is. */
  remove({ output, cell }: IHeld): () => void {
    const { outputs } = cell;
    const saved = outputs.toJSON();
    const index = saved.findIndex((_, n) => outputs.get(n) === output);
    if (index < 0) {
      return () => undefined; // the cell ran again meanwhile
    }
    const [removed] = saved.splice(index, 1);
    outputs.fromJSON(saved);
    return () => {
      if (removed && !cell.isDisposed) {
        const now = cell.outputs.toJSON();
        now.splice(index, 0, removed);
        cell.outputs.fromJSON(now);
      }
    };
  }

  /** Takes an output out of its cell for good, and leaves those alone that come meanwhile. */
  drop({ output, cell }: IHeld): void {
    for (let n = 0; n < cell.outputs.length; n++) {
      if (cell.outputs.get(n) === output) {
        cell.sharedModel.updateOutputs(n, n + 1, []);
        return;
      }
    }
  }

  private _reportIn(output: IOutputModel): IReport | null {
    let report = this._reports.get(output);
    if (report === undefined) {
      report = REPORT_MESSAGES.includes(output.type)
        ? validateReport(output.data[REPORT_MIME])
        : null;
      this._reports.set(output, report);
      output.changed.connect(this._onOutputChanged, this);
    }
    return report;
  }

  private _onOutputChanged(output: IOutputModel): void {
    this._reports.delete(output);
    this._onChanged();
  }

  /** What each output holds; null where that is no report. */
  private _reports = new WeakMap<IOutputModel, IReport | null>();
  private _owners = new WeakMap<ReportOutput, ICodeCellModel>();
  private _isDisposed = false;
}
