/**
 * What the parts of the extension know of each other.
 */

import { ISessionContext } from '@jupyterlab/apputils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal } from '@lumino/signaling';

import type { IReport, IRunState, ReportOutput } from '../model';

/** An argument of the constructor of an operator's `ModelNew`. */
export interface IParameter {
  /** As in Python. */
  readonly name: string;
  readonly type: 'int' | 'float';
  /** Null where it has to be given. */
  readonly default: number | null;
}

/** How a program is written; see docs/operators.md. */
export const PROGRAM_FORMS = ['full', 'short', 'benchmark'] as const;

export type ProgramForm = (typeof PROGRAM_FORMS)[number];

/** A form of a program besides the full one. */
export interface IOtherForm {
  readonly form: Exclude<ProgramForm, 'full'>;
  readonly loadProgram: () => Promise<string>;
  /** What it lacks of the full one, in sentences; empty where it lacks nothing. */
  readonly givenUp: string;
}

/** A catalogue entry: a problem, and our program for it if there is one. */
export interface IOperator {
  readonly id: string;
  readonly name: string;
  /** The module that it replaces, in PyTorch's words: "nn.LeakyReLU". */
  readonly replaces: string;
  readonly summary: string;
  /** The operator's own cell magic, without the percent signs. */
  readonly magic: string;
  /** Under which heading it stands where there are many. */
  readonly group?: string;
  /** The best speed that was measured, with its device; null where none was. */
  readonly figure: string | null;
  /** What `ModelNew` takes that can be given as a number. */
  readonly parameters?: readonly IParameter[];
  /** Loads the program in its full form; null where there is only a problem. */
  readonly loadProgram: (() => Promise<string>) | null;
  /** The other forms that it has. */
  readonly otherForms?: readonly IOtherForm[];
}

/** What loads the program of an operator in a form; null where it has no such form. */
export function loadForm(
  { loadProgram, otherForms = [] }: IOperator,
  form: ProgramForm
): IOperator['loadProgram'] {
  return form === 'full'
    ? loadProgram
    : (otherForms.find(one => one.form === form)?.loadProgram ?? null);
}

/** That form, or the full one where the operator lacks it. */
export function formOf(operator: IOperator, wanted: ProgramForm): ProgramForm {
  return loadForm(operator, wanted) ? wanted : 'full';
}

export interface ICatalogue {
  /** In the order in which they are offered; the first has the toolbar's button. */
  readonly operators: readonly IOperator[];

  /** An operator was added or removed. */
  readonly changed: ISignal<ICatalogue, void>;

  /** The operator of that id; null for anything else, whatever its type. */
  get(id: unknown): IOperator | null;

  /**
   * Adds an operator of another extension behind the others, until the answer is
   * disposed of. The kernel has to know its problem, too: by the entry point
   * `kernelgate.operators` of a Python package. Throws where the id is taken.
   */
  add(operator: IOperator): IDisposable;
}

export const ICatalogue = new Token<ICatalogue>(
  'jupyterlab-kernelgate:ICatalogue',
  'The operators that can be inserted and verified.'
);

/** What a person has set, as schema/plugin.json describes it. */
export interface IPreferences {
  /** Where a program runs, in a cell that Verify writes. */
  readonly device: 'auto' | 'cuda' | 'emulated';
  /** What a program is held to there. */
  readonly contract: 'problem' | 'drop-in';
  /** Whether more cases are tried there. */
  readonly thorough: boolean;
  /** A tolerance of one's own, as torch.allclose has it; 0 and 0 for none. */
  readonly rtol: number;
  readonly atol: number;
  /** How long times are taken at most, in seconds. */
  readonly budget: number;
  /** What Insert puts into a notebook: a program, folded or open, or its magic. */
  readonly insertAs: 'folded' | 'open' | 'magic';
  /** The form of that program, where it has that form. */
  readonly form: ProgramForm;
  /** When a run that goes on is shown as a notification. */
  readonly notify: 'out of sight' | 'never';
  /** What says that a long run has ended, where the page is out of sight. */
  readonly whenEnded: 'title' | 'system' | 'nothing';
}

/** What a run is given beside the program and its problem. */
export type RunOptions = Pick<
  IPreferences,
  'device' | 'contract' | 'thorough' | 'rtol' | 'atol' | 'budget'
>;

export interface IPreferenceStore {
  /** What holds now: the defaults until the settings are there, or where Lab has none. */
  readonly current: IPreferences;

  readonly changed: ISignal<IPreferenceStore, void>;
}

export const IPreferenceStore = new Token<IPreferenceStore>(
  'jupyterlab-kernelgate:IPreferenceStore',
  'What a person has set.'
);

/** Where programs run on this kernel. Unknown figures are null. */
export interface IDevice {
  readonly kind: 'cuda' | 'emulated' | 'none';
  readonly name: string;
  readonly memoryTotalBytes: number | null;
  readonly memoryUsedBytes: number | null;
  readonly driver: string | null;
  /** Why there is no device, in words. */
  readonly why: string | null;
}

/** What the kernelgate package says of its kernel. */
export interface IHandshake {
  readonly version: string;
  readonly python: string;
  readonly torch: string | null;
  readonly device: IDevice;
  readonly compiler: string | null;
  readonly nvcc: string | null;
  readonly operators: readonly string[];
  /** Whether a gateway has started it: it may be on another machine. */
  readonly isBehindGateway: boolean;
}

/** What is known of the kernel of the notebook in front. */
export type KernelState =
  | { readonly kind: 'no-notebook' }
  | { readonly kind: 'no-kernel' }
  /** It starts, restarts or connects: it cannot be asked yet. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'dead' }
  /** Its server does not answer: it may be running. */
  | { readonly kind: 'unreachable' }
  /** It runs no Python, so nothing is sent to it. */
  | { readonly kind: 'other-language'; readonly language: string }
  /** Nothing was sent to it, because nothing needed it yet. */
  | { readonly kind: 'unasked' }
  /** A question waits here, unsent, for the running cell to end. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'asking' }
  /** `restarted`: it lost its state since, and no cell ran in it yet. */
  | {
      readonly kind: 'ready';
      readonly handshake: IHandshake;
      readonly restarted: boolean;
    }
  /** The kernelgate package is not installed where the kernel runs. */
  | { readonly kind: 'missing' }
  /** Package and extension do not understand each other. */
  | {
      readonly kind: 'mismatch';
      readonly version: string | null;
      readonly outdated: 'package' | 'extension';
    }
  | { readonly kind: 'failed'; readonly message: string }
  /** The kernel has answered, and its server gave the answer to another page. */
  | { readonly kind: 'answered-elsewhere' };

/** One request to the kernel, as the activity list shows it. */
export interface IKernelRequest {
  readonly id: number;
  readonly at: Date;
  /** The Python expression, its arguments shortened. */
  readonly text: string;
  readonly outcome: 'queued' | 'sent' | 'done' | 'failed' | 'dropped';
  readonly took_ms: number | null;
}

export interface IKernelLink {
  readonly state: KernelState;

  /** Whether a cell runs in the kernel. */
  readonly isBusy: boolean;

  /** Whether the server of the kernels answers, as far as it was asked. */
  readonly isReachable: boolean;

  /** What was sent, newest first; bounded. */
  readonly requests: readonly IKernelRequest[];

  /** State, business or requests changed. */
  readonly changed: ISignal<IKernelLink, void>;

  /** While true, nothing is sent unless a person acts. */
  standby: boolean;

  /** Asks the kernel again; a person's act. */
  refresh(): void;

  /**
   * Hands a cell's text to the package, so that it can be verified by the
   * cell's id, or so that others that need its names find them there; a
   * person's act. Rejects with a `RequestError`.
   */
  rememberCell(
    context: ISessionContext,
    cellId: string,
    source: string,
    role?: 'needed'
  ): Promise<void>;
}

export const IKernelLink = new Token<IKernelLink>(
  'jupyterlab-kernelgate:IKernelLink',
  'What is known of the kernel of the notebook in front, and silent requests to it.'
);

/** A run of a notebook. */
export interface IRun {
  /** One of its own among the runs of its notebook, whatever their reports say. */
  readonly id: string;
  /** From 1, in the order in which the notebook came to know them. */
  readonly number: number;
  readonly report: IReport;
  /** It goes on now, in this page's sight: not just saved before it ended. */
  readonly isRunning: boolean;
  /** It has not ended, and the server of its kernel does not answer. */
  readonly isUnheard: boolean;
  /** The text of its program's cell has changed. */
  readonly isStale: boolean;
  /** When this page last heard its kernel say so, in ms; null where the notebook's file alone says it. */
  readonly heardAt: number | null;
  /** What holds its report; null where its output is gone. */
  readonly output: ReportOutput | null;
  /** The cell of that output. */
  readonly cell: { readonly id: string; readonly prompt: number | null } | null;
}

/** A run with the notebook that it is of. */
export interface IFoundRun {
  readonly notebook: NotebookPanel;
  readonly run: IRun;
}

export interface IReportHistory {
  /** The runs of the notebook in front, newest first. */
  readonly runs: readonly IRun[];

  /** The runs changed, or another notebook came to the front. */
  readonly changed: ISignal<IReportHistory, void>;

  /** The runs of a notebook changed, whether it is in front or not. */
  readonly updated: ISignal<IReportHistory, NotebookPanel>;

  /** The runs of an open notebook, newest first. */
  runsOf(notebook: NotebookPanel): readonly IRun[];

  /** The run of that id in the notebook in front. */
  find(id: string): IFoundRun | null;

  /** The run whose report an output holds, in whichever open notebook that is. */
  holding(output: ReportOutput): IFoundRun | null;

  /**
   * The program of a run of an open notebook; null where it is none of the
   * catalogue's, and no cell has read so since the notebook was opened.
   */
  programOf(found: IFoundRun): Promise<string | null>;

  /** Takes a run that has ended out of its notebook, with its output; the answer puts it back. */
  remove(found: IFoundRun): () => void;

  /** What is known of an output beyond its report; null where it is in no open notebook. */
  stateOf(output: ReportOutput): IRunState | null;
}

export const IReportHistory = new Token<IReportHistory>(
  'jupyterlab-kernelgate:IReportHistory',
  'The runs of the open notebooks.'
);

/** Something that a program can be checked against. */
export interface IProblemChoice {
  readonly key: string;
  readonly label: string;
  /** An operator of the catalogue: never chosen for a program that is not known to be for it. */
  readonly isCatalogue: boolean;
}

/** The program of a cell, and how it is checked. */
export interface ICellProgram {
  readonly cellId: string;
  /** n of "In [n]". */
  readonly prompt: number | null;
  /** What came where a program of the catalogue was inserted: its name, and how long it is; empty for any other. */
  readonly came: string;
  readonly choices: readonly IProblemChoice[];
  /** The key of the choice that holds; empty where nothing was found. */
  readonly chosen: string;
  readonly options: RunOptions;
}

export interface IPrograms {
  /** The program of the active cell of the notebook in front; null where that has none. */
  readonly current: ICellProgram | null;

  readonly changed: ISignal<IPrograms, void>;

  /** Says what a cell of the notebook in front is checked against. One of the choices asks the person. */
  choose(cellId: string, key: string): void;

  /** Says how; what is not given stays. */
  set(cellId: string, options: Partial<RunOptions>): void;
}

export const IPrograms = new Token<IPrograms>(
  'jupyterlab-kernelgate:IPrograms',
  'The programs in the cells of the notebooks.'
);
