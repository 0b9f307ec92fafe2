/**
 * The runs of one notebook.
 *
 * In: the outputs saved in it, and what its kernel publishes; both untrusted.
 * Out: validated runs with the cells that show them. Every report that the
 * kernel publishes also goes to the hub, whose renderers may have lost it.
 */

import { ICellModel, ICodeCellModel, isCodeCellModel } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { IReport, REPORT_MIME, reportHub, validateReport } from '../report';
import { IRun } from '../tokens';
import { programHashes } from './program';

const MAX_RUNS = 100;

/** Outputs follow their message within this time. */
const SCAN_DELAY_MS = 50;

/** Someone who types makes a pause of this length before a report is called old. */
const AGE_DELAY_MS = 300;

const MESSAGES = ['display_data', 'update_display_data', 'execute_result'];

export class NotebookRuns implements IDisposable {
  constructor(panel: NotebookPanel) {
    this._panel = panel;
    const session = panel.sessionContext;
    session.iopubMessage.connect(this._onIOPub, this);
    session.statusChanged.connect(this._onStatusChanged, this);
    session.kernelChanged.connect(this._onKernelChanged, this);
    void session.ready.then(() => {
      if (!this._isDisposed) {
        this._settle();
      }
    });
    void panel.context.ready.then(() => {
      if (!this._isDisposed) {
        panel.model?.cells.changed.connect(this._scanSoon, this);
        panel.model?.contentChanged.connect(this._checkAgeSoon, this);
        this._scan();
      }
    });
  }

  /** Newest first. */
  get runs(): readonly IRun[] {
    return this._runs;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    clearTimeout(this._timer);
    clearTimeout(this._ageTimer);
    Signal.clearData(this);
  }

  private _onIOPub(_: unknown, msg: KernelMessage.IMessage): void {
    if (!MESSAGES.includes(msg.header.msg_type)) {
      return;
    }
    const { data } = msg.content as { data?: ReadonlyPartialJSONObject };
    const report = validateReport(data?.[REPORT_MIME]);
    if (!data || !report) {
      return;
    }
    reportHub.emit({ run: report.run, data });
    this._reports.set(report.run, report);
    if (report.state === 'running') {
      this._going.add(report.run);
    } else {
      this._going.delete(report.run);
    }
    this._settle();
    this._scanSoon();
  }

  private _onStatusChanged(_: unknown, status: Kernel.Status): void {
    if (['restarting', 'autorestarting', 'dead'].includes(status)) {
      this._onKernelChanged();
    } else if (status === 'idle' && this._reports.size > 0) {
      // The prompt number of the cell is known now.
      this._scanSoon();
    }
  }

  /** No run outlives its kernel. */
  private _onKernelChanged(): void {
    this._going.clear();
    this._settle();
  }

  private _checkAgeSoon(): void {
    clearTimeout(this._ageTimer);
    this._ageTimer = setTimeout(() => {
      const isOther = ({ report, isStale }: IRun) =>
        this._isStale(report) !== isStale;
      if (this._runs.some(isOther)) {
        this._settle();
      }
    }, AGE_DELAY_MS);
  }

  private _scanSoon(): void {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._scan(), SCAN_DELAY_MS);
  }

  /** Looks up which cell shows which run, and reads the runs not known yet. */
  private _scan(): void {
    this._cells.clear();
    for (const cell of this._panel.model?.cells ?? []) {
      if (isCodeCellModel(cell)) {
        this._scanCell(cell);
      }
    }
    this._settle();
  }

  private _scanCell(cell: ICodeCellModel): void {
    for (let n = 0; n < cell.outputs.length; n++) {
      const data = cell.outputs.get(n).data[REPORT_MIME];
      const run = (data as { run?: unknown } | undefined)?.run;
      if (typeof run !== 'string') {
        continue;
      }
      const report = this._reports.get(run) ?? validateReport(data);
      if (report) {
        this._reports.set(run, report);
        this._cells.set(run, { id: cell.id, prompt: cell.executionCount });
      }
    }
  }

  /** Puts the runs in order, and says so. */
  private _settle(): void {
    const newestFirst = [...this._reports.values()].sort(
      (a, b) => time_ms(b) - time_ms(a)
    );
    for (const { run } of newestFirst.splice(MAX_RUNS)) {
      this._reports.delete(run);
    }
    this._runs = newestFirst.map(report => ({
      report,
      isRunning: this._going.has(report.run),
      isStale: this._isStale(report),
      cell: this._cells.get(report.run) ?? null
    }));
    for (const { report, isRunning, isStale } of this._runs) {
      const { run } = report;
      const isOpen = report.state === 'running' && !isRunning;
      // Once lost, it stays so until it is heard again, whatever runs meanwhile.
      const isLost =
        isOpen && (!this._mayWork || reportHub.stateOf(run)?.isLost === true);
      reportHub.tell(run, { isLost, isStale });
    }
    this._changed.emit();
  }

  /** Whether the cell of the program is there, and reads otherwise now. */
  private _isStale({ candidate, state }: IReport): boolean {
    if (state === 'running') {
      return false;
    }
    for (const cell of this._panel.model?.cells ?? []) {
      if (cell.id === candidate.cell_id) {
        const source = cell.sharedModel.getSource();
        let known = this._programs.get(cell);
        if (known?.source !== source) {
          known = { source, hashes: programHashes(source) };
          this._programs.set(cell, known);
        }
        return !known.hashes.includes(candidate.source_sha256);
      }
    }
    return false;
  }

  /** Whether the kernel may be at work on a run that was not heard of yet. */
  private get _mayWork(): boolean {
    const { isReady, session } = this._panel.sessionContext;
    const status = session?.kernel?.status;
    return !isReady || status === 'busy' || status === 'unknown';
  }

  private _panel: NotebookPanel;
  private _runs: readonly IRun[] = [];
  private _reports = new Map<string, IReport>();
  private _cells = new Map<string, NonNullable<IRun['cell']>>();
  /** The runs whose kernel was heard and has not finished them. */
  private _going = new Set<string>();
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _ageTimer: ReturnType<typeof setTimeout> | undefined;
  /** The programs of cells that a run was of, so that each is hashed once. */
  private _programs = new WeakMap<
    ICellModel,
    { source: string; hashes: string[] }
  >();
  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
}

function time_ms(report: IReport): number {
  return Date.parse(report.created) || 0;
}
