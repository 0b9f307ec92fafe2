/**
 * The runs of one notebook.
 *
 * In: the outputs saved in it, and what its kernel publishes; both untrusted.
 * Out: validated runs with the cells that show them. A report belongs to the
 * output that holds it: a run's id, which any report may bear, decides nothing in
 * another notebook, and changes no report that has ended.
 *
 * A browser reload in the middle of a run loses the display ids, so that the
 * kernel's updates no longer find their output; they are written to it here.
 */

import { ICellModel } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import {
  IReport,
  IRunState,
  placeFix,
  REPORT_MIME,
  ReportOutput,
  reportBus,
  validateReport
} from '../../model';
import { IRun } from '../../tokens';
import { OutputFollower } from './following';
import { HeldReports, IHeld, REPORT_MESSAGES } from './heldReports';
import { newestFirst, unlessSame } from './listed';
import { CellPrograms, programsIn } from './program';

/** Of those whose output is gone; the others are as many as the notebook holds. */
const MAX_GONE = 100;

/** Outputs follow their message within this time. */
const SCAN_DELAY_MS = 50;

/** Someone who types makes a pause of this length before a report is called old. */
const AGE_DELAY_MS = 300;

export class NotebookRuns implements IDisposable {
  /** `isOfOther`: whether a client that asked the kernel is another notebook's. */
  constructor(
    panel: NotebookPanel,
    private _isOfOther: (client: string) => boolean = () => false
  ) {
    this._panel = panel;
    this._held = new HeldReports(panel, () => this._settleSoon());
    this._follower = new OutputFollower(panel, this._held, () =>
      this._settleSoon()
    );
    const session = panel.sessionContext;
    session.iopubMessage.connect((_, msg) => this.hear(msg), this);
    session.statusChanged.connect(this._onStatusChanged, this);
    session.kernelChanged.connect(this._onKernelChanged, this);
    void session.ready.then(() => {
      if (!this._isDisposed) {
        this._settle();
      }
    });
    void panel.context.ready.then(() => {
      if (!this._isDisposed) {
        panel.model?.cells.changed.connect(this._settleSoon, this);
        panel.model?.contentChanged.connect(this._checkAgeSoon, this);
        this._settle();
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
    this._follower.dispose();
    this._held.dispose();
    Signal.clearData(this);
  }

  /** Whether the server of the kernels answers. */
  get isReachable(): boolean {
    return this._isReachable;
  }
  set isReachable(value: boolean) {
    if (value !== this._isReachable) {
      this._isReachable = value;
      // Whether a run goes on still is heard from its kernel, or it does not.
      this._going.clear();
      this._settle();
    }
  }

  /** Whether the output was seen in this notebook. */
  knows(output: ReportOutput): boolean {
    return this._held.knows(output);
  }

  /** The run whose report the output holds; null where the output is none of this notebook's. */
  holding(output: ReportOutput): IRun | null {
    const known = this._runs.find(run => run.output === output);
    if (!known) {
      const held = this._held.find(output);
      return held && this._runOf(held, held.report.run, this._cellsById());
    }
    return known;
  }

  /** What is known of an output beyond its report; null where it is none of this notebook's. */
  stateOf(output: ReportOutput): IRunState | null {
    const held = this._held.find(output);
    if (!held) {
      return null;
    }
    const state = this._stateOf(held, this._cellsById());
    this._announced.set(output, state);
    return state;
  }

  /** The program of a run; null where it is not this one of the catalogue, and no cell has read so since the notebook was opened. */
  async programOf(
    { report }: IRun,
    loadOurs: (() => Promise<string>) | null
  ): Promise<string | null> {
    const hash = report.candidate.source_sha256;
    const known = this._programs.textOf(hash);
    if (known !== null || !loadOurs) {
      return known;
    }
    return programsIn(await loadOurs()).get(hash) ?? null;
  }

  /** Takes a run that has ended out of the notebook, with its output; the answer puts it back. */
  remove({ output, report }: IRun): () => void {
    const held = output && this._held.find(output);
    const putBack = held ? this._held.remove(held) : () => undefined;
    this._seen.delete(report.run);
    this._settle();
    return () => {
      if (!this._isDisposed) {
        this._seen.set(report.run, report);
        putBack();
        this._settle();
      }
    };
  }

  /** Takes what the kernel publishes. */
  hear(msg: KernelMessage.IMessage): void {
    if (!REPORT_MESSAGES.includes(msg.header.msg_type)) {
      return;
    }
    // Notebooks that share a kernel hear each other's outputs.
    const { session } = msg.parent_header as { session?: string };
    if (session !== undefined && this._isOfOther(session)) {
      return;
    }
    const { data } = msg.content as { data?: ReadonlyPartialJSONObject };
    const report = validateReport(data?.[REPORT_MIME]);
    if (!data || !report) {
      return;
    }
    this._seen.set(report.run, report);
    this._heard.set(report.run, Date.now());
    this._lost.delete(report.run);
    if (report.state === 'running') {
      this._going.add(report.run);
    } else {
      this._going.delete(report.run);
    }
    this._follower.follow(report, data);
    this._settle();
    if (!this._runs.some(run => run.output && run.report.run === report.run)) {
      // The output of a new run follows its message.
      this._settleSoon();
    }
  }

  private _onStatusChanged(_: unknown, status: Kernel.Status): void {
    if (['restarting', 'autorestarting', 'dead'].includes(status)) {
      this._onKernelChanged();
    } else if (status === 'idle' && this._seen.size > 0) {
      // The prompt number of the cell is known now.
      this._settleSoon();
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
      const cells = this._cellsById();
      const isOther = ({ report, isStale }: IRun) =>
        this._isStale(report, cells) !== isStale;
      if (this._runs.some(isOther)) {
        this._settle();
      }
    }, AGE_DELAY_MS);
  }

  private _settleSoon(): void {
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._settle(), SCAN_DELAY_MS);
  }

  /** Puts the runs in order, and says what is new. */
  private _settle(): void {
    // What was waited for is seen now.
    clearTimeout(this._timer);
    const cells = this._cellsById();
    const ids = new Set<string>();
    const found: (Partial<IHeld> & { report: IReport; id: string })[] = [];
    for (const one of this._held.all()) {
      const { run } = one.report;
      const id = ids.has(run) ? `${run} ${one.cell.id} ${ids.size}` : run;
      ids.add(id);
      this._seen.set(run, one.report);
      found.push({ ...one, id });
    }
    const gone = newestFirst(
      [...this._seen.values()]
        .filter(({ run }) => !ids.has(run))
        .map(report => ({ report, id: report.run }))
    );
    for (const { report } of gone.splice(MAX_GONE)) {
      this._seen.delete(report.run);
    }
    const ordered = newestFirst([...found, ...gone]);
    // A number stays with its run, whichever others go.
    for (const { id } of [...ordered].reverse()) {
      if (!this._numbers.has(id)) {
        this._numbers.set(id, this._numbers.size + 1);
      }
    }
    const before = new Map(this._runs.map(run => [run.id, run]));
    this._runs = ordered.map(({ id, ...one }) =>
      unlessSame(before.get(id), this._runOf(one, id, cells))
    );
    for (const one of this._held.all()) {
      this._tell(one, cells);
    }
    this._changed.emit();
  }

  private _tell(held: IHeld, cells: ReadonlyMap<string, ICellModel>): void {
    const { output, report } = held;
    const state = this._stateOf(held, cells);
    if (state.isLost) {
      this._lost.add(report.run);
    }
    if (JSON.stringify(this._announced.get(output)) !== JSON.stringify(state)) {
      this._announced.set(output, state);
      reportBus.announce(output);
    }
  }

  private _runOf(
    { output, cell, report }: Partial<IHeld> & Pick<IHeld, 'report'>,
    id: string,
    cells: ReadonlyMap<string, ICellModel>
  ): IRun {
    const isOpen = report.state === 'running';
    return {
      id,
      number: this._numbers.get(id) ?? 0,
      report,
      isRunning: isOpen && this._going.has(report.run) && this._isReachable,
      isUnheard: isOpen && !this._isReachable,
      isStale: this._isStale(report, cells),
      heardAt: this._heard.get(report.run) ?? null,
      output: output ?? null,
      cell: cell ? { id: cell.id, prompt: cell.executionCount } : null
    };
  }

  private _stateOf(
    { report }: IHeld,
    cells: ReadonlyMap<string, ICellModel>
  ): IRunState {
    const { run, state } = report;
    const isOpen =
      state === 'running' &&
      !this._going.has(run) &&
      !this._follower.isBehind(run);
    const isStale = this._isStale(report, cells);
    const source = cells
      .get(report.candidate.cell_id ?? '')
      ?.sharedModel.getSource();
    // Once lost, it stays so until it is heard again, whatever runs meanwhile.
    const isLost = isOpen && (!this._mayWork || this._lost.has(run));
    return {
      isLost,
      isUnheard: state === 'running' && !isLost && !this._isReachable,
      isStale,
      heardAt: this._heard.get(run) ?? null,
      fix:
        isStale || source === undefined || !report.failure
          ? null
          : placeFix(source, report.failure)
    };
  }

  private _cellsById(): ReadonlyMap<string, ICellModel> {
    return new Map(
      [...(this._panel.model?.cells ?? [])].map(cell => [cell.id, cell])
    );
  }

  /** Whether the cell of the program is there, and its text has changed. */
  private _isStale(
    { candidate, state }: IReport,
    cells: ReadonlyMap<string, ICellModel>
  ): boolean {
    const cell = cells.get(candidate.cell_id ?? '');
    if (!cell) {
      return false;
    }
    // While it goes on, too: the text is remembered with it.
    const isSame = this._programs.reads(cell, candidate.source_sha256);
    return state !== 'running' && !isSame;
  }

  /** Whether the kernel may be at work on a run that was not heard of yet. */
  private get _mayWork(): boolean {
    const { isReady, session } = this._panel.sessionContext;
    const status = session?.kernel?.status;
    return !isReady || status === 'busy' || status === 'unknown';
  }

  private _panel: NotebookPanel;
  private _runs: readonly IRun[] = [];
  /** What was last said of an output. */
  private _announced = new WeakMap<ReportOutput, IRunState>();
  /** The last report of each run that was heard or seen here. */
  private _seen = new Map<string, IReport>();
  /** When the kernel last said something of a run. */
  private _heard = new Map<string, number>();
  /** The runs whose kernel was heard and has not finished them. */
  private _going = new Set<string>();
  private _lost = new Set<string>();
  private _isReachable = true;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _ageTimer: ReturnType<typeof setTimeout> | undefined;
  private _held: HeldReports;
  private _follower: OutputFollower;
  private _programs = new CellPrograms();
  private _numbers = new Map<string, number>();
  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
}
