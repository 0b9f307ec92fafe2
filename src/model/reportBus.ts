/**
 * Where the app plugin and the renderers of one page meet.
 *
 * In: what the app knows of an output that holds a report, and can do for it.
 * Out: the same for the renderers, which have no access to the application. Both
 * name an output by the object that holds its data, never by anything that is
 * written in it: any notebook may hold any report, with any run's id.
 */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';
import type { FixPlace } from './fix';

/** The output that holds a report: of one cell, in one notebook. */
export type ReportOutput = Pick<IRenderMime.IMimeModel, 'data'>;

/** What the app offers to the report in an output; a button is drawn only for what is offered. */
export interface IReportActions {
  interrupt?: (output: ReportOutput) => void;
  restartKernel?: (output: ReportOutput) => void;
  /** A cell of the output's own notebook. */
  revealCell?: (
    output: ReportOutput,
    cellId: string,
    line: number | null
  ) => void;
  insertFix?: (output: ReportOutput) => void;
  insertFailingCase?: (output: ReportOutput) => void;
  runAgain?: (output: ReportOutput) => void;
  compare?: (output: ReportOutput) => void;
}

/** What the notebook that holds an output knows of its run beyond the report. */
export interface IRunState {
  /** It stopped without an end: its kernel is idle or gone. */
  readonly isLost: boolean;
  /** It has not ended, and the server of its kernel does not answer. */
  readonly isUnheard: boolean;
  /** The text of its program's cell has changed. */
  readonly isStale: boolean;
  /** When this page heard the kernel say so, in ms; null where the notebook's file alone says it. */
  readonly heardAt: number | null;
  /** Where the fix goes in that cell; null where there is none, or the text has changed. */
  readonly fix: FixPlace | null;
}

/** Null where the output is in no open notebook. */
export type StateOf = (output: ReportOutput) => IRunState | null;

export class ReportBus {
  get actionsChanged(): ISignal<this, void> {
    return this._actionsChanged;
  }

  get actions(): Readonly<IReportActions> {
    return this._actions;
  }

  /** What is known of an output has changed. */
  get stateChanged(): ISignal<this, ReportOutput> {
    return this._stateChanged;
  }

  /** What is known of an output; null where no open notebook holds it. */
  stateOf(output: ReportOutput): IRunState | null {
    for (const stateOf of this._sources) {
      const state = stateOf(output);
      if (state) {
        return state;
      }
    }
    return null;
  }

  /** Announces that what is known of an output has changed. */
  announce(output: ReportOutput): void {
    this._stateChanged.emit(output);
  }

  /** Answers for outputs, beside others, until the returned object is disposed. */
  answer(stateOf: StateOf): IDisposable {
    this._sources.add(stateOf);
    this._actionsChanged.emit();
    return new DisposableDelegate(() => {
      this._sources.delete(stateOf);
      this._actionsChanged.emit();
    });
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
  private _sources = new Set<StateOf>();
  private _stateChanged = new Signal<this, ReportOutput>(this);
  private _actionsChanged = new Signal<this, void>(this);
}

/** One bus a page: the extension and its MIME renderers share module instances. */
export const reportBus = new ReportBus();
