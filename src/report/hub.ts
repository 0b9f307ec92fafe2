/**
 * Where the app plugin and the renderers of one page meet.
 *
 * In: every report's MIME bundle that the app plugin hears from a kernel, and
 * what the app can do for a report. Out: signals for the renderers, which have
 * no access to the application. Not here: what a bundle means (`report/index`).
 *
 * A browser reload in the middle of a run loses the display ids, so that the
 * kernel's updates no longer find their output; they find it by run id here.
 */
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

/** A report as it came from the kernel, with its text fallbacks. */
export interface IReportBundle {
  run: string;
  data: ReadonlyPartialJSONObject;
}

/**
 * What the app offers to a report; a button is drawn only for what is offered.
 * The arguments are ids and a line number, never text of the report: a report
 * in a notebook is data from a stranger.
 */
export interface IReportActions {
  interrupt?: (run: string) => void;
  revealCell?: (cellId: string, line: number | null) => void;
  /** The app takes the fix from a report that it heard itself, not from here. */
  insertFix?: (run: string, cellId: string) => void;
  runAgain?: (run: string, cellId: string) => void;
}

export class ReportHub {
  /** A bundle arrived; who draws that run shows it. */
  get bundleReceived(): ISignal<this, IReportBundle> {
    return this._bundleReceived;
  }

  get actionsChanged(): ISignal<this, void> {
    return this._actionsChanged;
  }

  get actions(): Readonly<IReportActions> {
    return this._actions;
  }

  /** A run was found to have no end; its id. */
  get runLost(): ISignal<this, string> {
    return this._runLost;
  }

  /** Whether a run stopped without an end: its kernel is idle or gone. */
  isLost(run: string): boolean {
    return this._lost.has(run);
  }

  lose(run: string): void {
    if (!this._lost.has(run)) {
      this._lost.add(run);
      this._runLost.emit(run);
    }
  }

  emit(bundle: IReportBundle): void {
    this._lost.delete(bundle.run);
    this._bundleReceived.emit(bundle);
  }

  /** Offer actions until the returned object is disposed. */
  offer(actions: IReportActions): IDisposable {
    this._setActions(actions);
    return new DisposableDelegate(() => {
      if (this._actions === actions) {
        this._setActions({});
      }
    });
  }

  private _setActions(actions: IReportActions): void {
    this._actions = actions;
    this._actionsChanged.emit();
  }

  private _actions: IReportActions = {};
  private _lost = new Set<string>();
  private _runLost = new Signal<this, string>(this);
  private _bundleReceived = new Signal<this, IReportBundle>(this);
  private _actionsChanged = new Signal<this, void>(this);
}

/** One hub a page: the extension and its MIME renderers share module instances. */
export const reportHub = new ReportHub();
