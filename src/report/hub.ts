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
  restartKernel?: (run: string) => void;
  revealCell?: (cellId: string, line: number | null) => void;
  /** The app looks the fix up in the report that it has of the run. */
  insertFix?: (run: string) => void;
  insertFailingCase?: (run: string) => void;
  runAgain?: (run: string) => void;
  compare?: (run: string) => void;
}

/** What the notebook that shows a run knows of it beyond its report. */
export interface IRunState {
  /** It stopped without an end: its kernel is idle or gone. */
  readonly isLost: boolean;
  /** Its program's cell reads otherwise now. */
  readonly isStale: boolean;
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

  /** Something else is known of a run; its id. */
  get runChanged(): ISignal<this, string> {
    return this._runChanged;
  }

  /** What is known of a run; null where no open notebook shows it. */
  stateOf(run: string): IRunState | null {
    return this._states.get(run) ?? null;
  }

  tell(run: string, state: IRunState): void {
    const known = this._states.get(run);
    if (known?.isLost !== state.isLost || known.isStale !== state.isStale) {
      this._states.set(run, state);
      this._runChanged.emit(run);
    }
  }

  emit(bundle: IReportBundle): void {
    this._bundleReceived.emit(bundle);
  }

  /** Offers actions, beside those of others, until the returned object is disposed. */
  offer(actions: IReportActions): IDisposable {
    this._offers.add(actions);
    this._gather();
    return new DisposableDelegate(() => {
      this._offers.delete(actions);
      this._gather();
    });
  }

  private _gather(): void {
    this._actions = Object.assign({}, ...this._offers);
    this._actionsChanged.emit();
  }

  private _actions: IReportActions = {};
  private _offers = new Set<IReportActions>();
  private _states = new Map<string, IRunState>();
  private _runChanged = new Signal<this, string>(this);
  private _bundleReceived = new Signal<this, IReportBundle>(this);
  private _actionsChanged = new Signal<this, void>(this);
}

/** One hub a page: the extension and its MIME renderers share module instances. */
export const reportHub = new ReportHub();
