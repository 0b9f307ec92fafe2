/**
 * Writes what a kernel says of a run to the outputs that show it as going on.
 *
 * In: the outputs of a notebook, and what its kernel publishes. Out: the outputs,
 * up to date. Where pages share a notebook, the page or the server that runs the
 * cell writes them, and a second writer at the same time would add an output. Yet
 * some servers leave updates out, and a page may be gone: there one page of them
 * writes what nobody has written in a while. Other servers add an output for each
 * update: there the earlier ones are taken out.
 */

import { NotebookPanel } from '@jupyterlab/notebook';
import { JSONExt, ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { IReport, MODEL_MIME, REPORT_MIME } from '../../model';
import { HeldReports, IHeld } from './heldReports';

/** What an update may change in a notebook. */
const BUNDLE_MIMES = [REPORT_MIME, MODEL_MIME, 'text/html', 'text/plain'];

/** A shared notebook is up to date within this time, if anybody keeps it so. */
const LATE_MS = 1500;

interface IWaiting {
  /** The first that was heard since the outputs were last looked at. */
  first: IReport;
  latest: ReadonlyPartialJSONObject;
}

/** Who else has a shared notebook open. */
interface IAwareness {
  readonly clientID: number;
  getStates(): ReadonlyMap<number, { user?: unknown }>;
}

/** Whether a later report of the same run says all that an earlier one does. */
function isReplaced(earlier: IReport, later: IReport): boolean {
  const isOver = later.state !== 'running';
  return earlier.state === 'running'
    ? isOver || earlier.elapsed_s <= later.elapsed_s
    : isOver && JSONExt.deepEqual(earlier as never, later as never);
}

export class OutputFollower implements IDisposable {
  constructor(
    private _panel: NotebookPanel,
    private _held: HeldReports,
    /** Called when the outputs of a shared notebook were looked at. */
    private _onCaughtUp: () => void
  ) {
    _panel.model?.contentChanged.connect(this._lookSoon, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._timer);
    Signal.clearData(this);
  }

  /** Whether more was heard of a run than its outputs may show yet. */
  isBehind(run: string): boolean {
    return this._waiting.has(run);
  }

  /** Takes a report, with the data that it came in. */
  follow(report: IReport, data: ReadonlyPartialJSONObject): void {
    if (!this._panel.model?.collaborative) {
      this._write(report.run, data);
      return;
    }
    this._heard.add(report.run);
    // The outputs may have been here first.
    this._lookSoon();
    const first = this._waiting.get(report.run)?.first ?? report;
    this._waiting.set(report.run, { first, latest: data });
    this._timer ??= setTimeout(() => this._catchUp(), LATE_MS);
  }

  /**
   * Takes out what a later output of its cell replaces. Only of a run that was
   * heard from the kernel: what is saved in a notebook stays as it is. Each page
   * does it, as an output that two take out is gone once.
   */
  private _takeOutReplaced(): void {
    const later = new Map<string, IHeld>();
    for (const held of [...this._held.all()].reverse()) {
      const { run } = held.report;
      const key = `${held.cell.id} ${run}`;
      const last = later.get(key);
      if (!last) {
        later.set(key, held);
      } else if (this._heard.has(run) && isReplaced(held.report, last.report)) {
        this._held.drop(held);
      }
    }
  }

  /** Once the change is over: an output cannot be taken out while others come. */
  private _lookSoon(): void {
    if (this._panel.model?.collaborative && this._heard.size > 0) {
      this._looking ??= Promise.resolve().then(() => {
        this._looking = undefined;
        if (!this._isDisposed) {
          this._takeOutReplaced();
        }
      });
    }
  }

  private _catchUp(): void {
    this._timer = undefined;
    this._takeOutReplaced();
    const waiting = [...this._waiting];
    this._waiting.clear();
    for (const [run, { first, latest }] of waiting) {
      const isLate = ({ report }: IHeld) =>
        first.state !== 'running' || report.elapsed_s < first.elapsed_s;
      if (this._isWriter && this._goingOn(run).some(isLate)) {
        this._write(run, latest);
      }
    }
    this._onCaughtUp();
  }

  private _write(run: string, data: ReadonlyPartialJSONObject): void {
    for (const { output } of this._goingOn(run)) {
      const known = output.data;
      const [old, next] = [known[REPORT_MIME], data[REPORT_MIME]];
      if (old && next && !JSONExt.deepEqual(old, next)) {
        const news = BUNDLE_MIMES.filter(type => data[type] !== undefined);
        output.setData({
          data: {
            ...known,
            ...Object.fromEntries(news.map(type => [type, data[type]]))
          }
        });
      }
    }
  }

  private _goingOn(run: string): IHeld[] {
    return [...this._held.all()].filter(
      ({ report }) => report.run === run && report.state === 'running'
    );
  }

  /** Of the pages that have the notebook open, the one with the least number. */
  private get _isWriter(): boolean {
    const { awareness } = this._panel.model?.sharedModel as {
      awareness?: IAwareness;
    };
    const others = [...(awareness?.getStates() ?? [])]
      .filter(([, state]) => state.user !== undefined)
      .map(([id]) => id);
    return !awareness || others.every(id => awareness.clientID <= id);
  }

  private _waiting = new Map<string, IWaiting>();
  /** The runs that the kernel spoke of while the notebook was shared. */
  private _heard = new Set<string>();
  private _looking: Promise<void> | undefined;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _isDisposed = false;
}
