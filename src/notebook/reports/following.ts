/**
 * Writes what a kernel says of a run to the outputs that show it as going on.
 *
 * In: the outputs of a notebook, and what its kernel publishes. Out: the outputs,
 * up to date. Where pages share a notebook, the page or the server that runs the
 * cell writes them, and a second writer at the same time would add an output. Yet
 * some servers leave updates out, and a page may be gone: there one page of them
 * writes what nobody has written in a while.
 */

import { NotebookPanel } from '@jupyterlab/notebook';
import { JSONExt, ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';

import { IReport, REPORT_MIME } from '../../model';
import { HeldReports, IHeld } from './heldReports';

/** What an update may change in a notebook. */
const BUNDLE_MIMES = [REPORT_MIME, 'text/html', 'text/plain'];

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

export class OutputFollower implements IDisposable {
  constructor(
    private _panel: NotebookPanel,
    private _held: HeldReports,
    /** Called when the outputs of a shared notebook were looked at. */
    private _onCaughtUp: () => void
  ) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._timer);
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
    const first = this._waiting.get(report.run)?.first ?? report;
    this._waiting.set(report.run, { first, latest: data });
    this._timer ??= setTimeout(() => this._catchUp(), LATE_MS);
  }

  private _catchUp(): void {
    this._timer = undefined;
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
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _isDisposed = false;
}
