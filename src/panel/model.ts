/**
 * What the panel draws: one place that gathers it, and says when it changed.
 */

import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { VDomModel } from '@jupyterlab/ui-components';

import {
  ICatalogue,
  ICellProgram,
  IKernelLink,
  IKernelRequest,
  IOperator,
  IPreferenceStore,
  IPrograms,
  IReportHistory,
  IRun,
  KernelState,
  ProgramForm
} from '../tokens';

/** Everything that is drawn. */
export interface IPanelState {
  /** The file's name; null where no notebook is in front. */
  readonly notebookName: string | null;
  readonly kernelName: string;
  readonly kernel: KernelState;
  /** Why nothing can be inserted now; empty where it can. */
  readonly insertDisabledReason: string;
  /** Why nothing can be verified now; empty where it can. */
  readonly verifyDisabledReason: string;
  /** Why nothing can be timed now; empty where it can. */
  readonly timeDisabledReason: string;
  /** The program of the active cell; null where it has none. */
  readonly program: ICellProgram | null;
  /** The operators that have a program. */
  readonly operators: readonly IOperator[];
  /** The form of their programs that the person has set. */
  readonly form: ProgramForm;
  readonly runs: readonly IRun[];
  /** The ids of the runs that are compared, two at most. */
  readonly compared: readonly string[];
  readonly requests: readonly IKernelRequest[];
}

export interface IPanelModelOptions {
  tracker: INotebookTracker;
  link: IKernelLink;
  history: IReportHistory;
  catalogue: ICatalogue;
  preferences: IPreferenceStore;
  /** Null where nothing finds programs in cells. */
  programs: IPrograms | null;
  insertDisabledReason: () => string;
  verifyDisabledReason: () => string;
  timeDisabledReason: () => string;
}

export class PanelModel extends VDomModel {
  constructor(private _options: IPanelModelOptions) {
    super();
    const { tracker, link, history, catalogue, preferences } = _options;
    _options.programs?.changed.connect(this._onChanged, this);
    preferences.changed.connect(this._onChanged, this);
    catalogue.changed.connect(this._onChanged, this);
    tracker.currentChanged.connect(this._follow, this);
    this._follow();
    link.changed.connect(this._onChanged, this);
    history.changed.connect(this._onChanged, this);
  }

  get state(): IPanelState {
    const { tracker, link, history, catalogue, preferences, programs } =
      this._options;
    const panel = tracker.currentWidget;
    return {
      notebookName: panel?.title.label ?? null,
      kernelName: panel?.sessionContext.kernelDisplayName ?? '',
      kernel: link.state,
      insertDisabledReason: this._options.insertDisabledReason(),
      verifyDisabledReason: this._options.verifyDisabledReason(),
      timeDisabledReason: this._options.timeDisabledReason(),
      program: programs?.current ?? null,
      operators: catalogue.operators.filter(({ loadProgram }) => loadProgram),
      form: preferences.current.form,
      runs: history.runs,
      compared: this._compared,
      requests: link.requests
    };
  }

  /** Compares a run with the newest other one of its problem. */
  compare(run: string): void {
    const { runs } = this._options.history;
    const problemOf = (id: string) =>
      runs.find(one => one.id === id)?.report.problem.id;
    const other = runs.find(
      ({ id, report }) =>
        id !== run &&
        report.state === 'finished' &&
        report.problem.id === problemOf(run)
    );
    this._compared = other ? [other.id, run] : [run];
    this.stateChanged.emit();
  }

  /** Adds a run to the comparison, or removes it; the earliest choice makes room. */
  toggleCompared(run: string): void {
    this._compared = this._compared.includes(run)
      ? this._compared.filter(one => one !== run)
      : [...this._compared, run].slice(-2);
    this.stateChanged.emit();
  }

  /** Whether anybody looks; the kernel is asked only then. */
  set isVisible(value: boolean) {
    this._options.link.standby = !value;
  }

  /** Hears when the notebook in front is renamed. */
  private _follow(): void {
    this._named?.changed.disconnect(this._onChanged, this);
    this._named = this._options.tracker.currentWidget?.title ?? null;
    this._named?.changed.connect(this._onChanged, this);
    this._onChanged();
  }

  private _onChanged(): void {
    const { runs } = this._options.history;
    this._compared = this._compared.filter(id =>
      runs.some(one => one.id === id)
    );
    this.stateChanged.emit();
  }

  private _compared: readonly string[] = [];
  private _named: NotebookPanel['title'] | null = null;
}
