/**
 * Verify, benchmark or profile as a person asks for it: find the program, ask
 * what is unclear, run it, and say what to do where that fails.
 */

import { Notification } from '@jupyterlab/apputils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';

import { RequestError } from '../../kernel/request';
import { ICatalogue, IKernelLink, IOperator, RunOptions } from '../../tokens';
import { TOAST_MS } from '../../ui/toast';
import { problemsOf } from '../programs/problems';
import { ReadPython } from '../programs/python';
import { askProblem } from './reference';
import { findTarget } from './target';
import { Verb, verbName } from './verbs';
import { runVerify, runVerifyAgain } from './verify';
import { Problem } from './verifySource';

const SOON_MS = 1500;
const LOOK_MS = 50;

export interface IVerifyOptions {
  panel: NotebookPanel;
  verb: Verb;
  /** The cell that is meant; by default the active one. */
  cellId?: string;
  /** The operator that is meant, if the person said so. */
  operator?: IOperator;
  /** Whether the person asked for more cases. */
  thorough?: boolean;
  /** What the person has set. */
  options: RunOptions;
  catalogue: ICatalogue;
  link: IKernelLink;
  /** Loads what reads Python. */
  python: () => Promise<ReadPython>;
  translator: ITranslator;
  insert: (operator: IOperator) => void;
  insertInstallCell: () => void;
}

/** The id of the cell that was run; null where none was. */
export async function verifyCell(
  options: IVerifyOptions
): Promise<string | null> {
  const { panel, verb, catalogue, translator } = options;
  const target = findTarget(panel.content, catalogue, options);
  if (!target) {
    sayNoProgram(options);
    return null;
  }
  const trans = translator.load('jupyterlab_kernelgate');
  const { content } = panel;
  const read = await options.python();
  let problem: Problem | null = null;
  if (target.content === 'program') {
    const found = problemsOf(content, catalogue, target, read, trans);
    problem =
      options.operator ??
      found.problems.get(found.chosen) ??
      (await askProblem(
        catalogue.operators,
        verbName(verb, trans),
        translator
      ));
    if (!problem) {
      return null;
    }
  }
  return sayingFailure(options, () =>
    runVerify({ ...options, target, problem, read })
  );
}

/** Runs the cell of a verify run once more, as it reads now; a busy kernel would take the program much later. */
export async function verifyAgain(
  options: IVerifyOptions & { cellId: string }
): Promise<void> {
  const why = await whyNotNow(options);
  if (why) {
    Notification.warning(why, { autoClose: TOAST_MS });
    return;
  }
  const read = await options.python();
  await sayingFailure(options, () =>
    runVerifyAgain(options.cellId, options.catalogue, { ...options, read })
  );
}

/** Empty where the notebook's own kernel takes a program now. A report is there a moment before the kernel is idle. */
async function whyNotNow({
  panel,
  translator
}: IVerifyOptions): Promise<string> {
  const trans = translator.load('jupyterlab_kernelgate');
  const kernel = panel.sessionContext.session?.kernel;
  if (!kernel) {
    return trans.__(
      'This notebook has no kernel. Start one, and run it again.'
    );
  }
  for (let waited = 0; kernel.status === 'busy' && waited < SOON_MS;) {
    await new Promise(resolve => setTimeout(resolve, LOOK_MS));
    waited += LOOK_MS;
  }
  return kernel.status === 'busy'
    ? trans.__('The kernel is busy. Run it again when the running cell ends.')
    : '';
}

/** What the kernel refuses is said where the person looks. */
async function sayingFailure<T>(
  options: IVerifyOptions,
  act: () => Promise<T>
): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RequestError)) {
      throw error;
    }
    sayFailure(error, options);
    return null;
  }
}

function sayNoProgram({ operator, insert, translator }: IVerifyOptions): void {
  const trans = translator.load('jupyterlab_kernelgate');
  if (!operator) {
    Notification.warning(
      trans.__(
        'This cell defines no ModelNew. Select a cell that defines it first.'
      ),
      { autoClose: TOAST_MS }
    );
    return;
  }
  Notification.warning(
    trans.__(
      'There is no program for %1 here. Insert one, or select a cell that defines ModelNew.',
      operator.name
    ),
    {
      autoClose: TOAST_MS,
      actions:
        operator.loadProgram === null
          ? []
          : [
              {
                label: trans.__('Insert %1', operator.name),
                callback: () => insert(operator)
              }
            ]
    }
  );
}

function sayFailure(
  error: RequestError,
  { translator, insertInstallCell }: IVerifyOptions
): void {
  const trans = translator.load('jupyterlab_kernelgate');
  switch (error.ename) {
    case 'ModuleNotFoundError':
      Notification.error(
        trans.__('The kernelgate package is missing in this kernel.'),
        {
          autoClose: TOAST_MS,
          actions: [
            {
              label: trans.__('Insert install cell'),
              callback: insertInstallCell
            }
          ]
        }
      );
      return;
    case 'TooLarge':
      Notification.error(
        trans.__('The cell is too large: at most a million characters.'),
        { autoClose: TOAST_MS }
      );
      return;
    default:
      Notification.error(
        trans.__(
          'The kernel did not take the program (%1: %2). Restart it and try again.',
          error.ename,
          error.message
        ),
        { autoClose: TOAST_MS }
      );
  }
}
