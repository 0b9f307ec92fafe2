/** The commands for a run of the notebook in front, by its id there. Each answers with JSON, null where it did nothing. */

import { Clipboard, Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { textForModel } from '../../model';
import { IFoundRun } from '../../tokens';
import { CommandIDs } from '../../tokens/commandIds';
import {
  argumentsOf,
  ICommandContext,
  idProperty,
  LoadActions
} from '../commandContext';
import { TOAST_MS } from '../../ui/toast';
import type { RunActions } from './runActions';

type Act = (actions: RunActions, found: IFoundRun) => void | Promise<void>;

export function addRunCommands(
  context: ICommandContext,
  load: LoadActions
): void {
  const { translator } = context;
  const trans = translator.load('jupyterlab_kernelgate');
  const add = (id: string, label: string, act: Act) =>
    addRunCommand(context, id, label, async found => act(await load(), found));
  add(
    CommandIDs.revealRun,
    trans.__('Go to the cell of a run'),
    (actions, found) => actions.reveal(found)
  );
  add(CommandIDs.runAgain, trans.__('Repeat a run'), (actions, found) =>
    actions.runAgain(found)
  );
  add(CommandIDs.deleteRun, trans.__('Delete a run'), (actions, found) =>
    actions.delete(found)
  );
  add(
    CommandIDs.insertFix,
    trans.__('Insert the fix of a run'),
    (actions, found) => actions.insertFix(found)
  );
  add(
    CommandIDs.insertFailingCase,
    trans.__('Insert the failing case of a run'),
    (actions, found) => actions.insertFailingCase(found)
  );
  addCopyForModel(context);
  addRestartKernel(context, load);
  addRevealCell(context, load);
  addInterrupt(context, load);
  addInsertComparison(context, load);
}

function addRunCommand(
  { app: { commands }, history, translator }: ICommandContext,
  id: string,
  label: string,
  act: (found: IFoundRun) => Promise<void>
): void {
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(id, {
    label,
    describedBy: argumentsOf({ run: idProperty(trans.__('The id of a run')) }, [
      'run'
    ]),
    execute: async args => {
      const found = history.find(String(args.run));
      if (!found) {
        return null;
      }
      await act(found);
      return { run: found.run.id };
    }
  });
}

function addRevealCell(
  { app: { commands }, tracker, translator }: ICommandContext,
  load: LoadActions
): void {
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.revealCell, {
    label: trans.__('Go to a cell'),
    describedBy: argumentsOf(
      {
        cellId: idProperty(
          trans.__('The id of a cell of the notebook in front')
        ),
        line: { type: 'number', description: trans.__('A line, from 1') }
      },
      ['cellId']
    ),
    execute: async args => {
      const line = typeof args.line === 'number' ? args.line : undefined;
      const panel = tracker.currentWidget;
      if (!panel) {
        return null;
      }
      const cellId = String(args.cellId);
      (await load()).revealCell(panel, cellId, line);
      return { cellId };
    }
  });
}

/** The notebook of a run; without one, the notebook in front. */
function notebookOf(
  { tracker, history }: ICommandContext,
  run: unknown
): NotebookPanel | null | undefined {
  return typeof run === 'string'
    ? history.find(run)?.notebook
    : tracker.currentWidget;
}

function addInterrupt(context: ICommandContext, load: LoadActions): void {
  const {
    app: { commands },
    history,
    translator
  } = context;
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.interrupt, {
    label: trans.__('Cancel run'),
    caption: trans.__('Interrupt the kernel; finished stages are kept'),
    describedBy: argumentsOf({ run: idProperty(trans.__('The id of a run')) }),
    isEnabled: args =>
      typeof args.run === 'string' || history.runs.some(run => run.isRunning),
    execute: async args => {
      const panel = notebookOf(context, args.run);
      if (!panel) {
        return null;
      }
      await (await load()).interrupt(panel);
      return { isInterrupted: true };
    }
  });
}

/** Without a run, the newest one that has ended. */
function addCopyForModel({
  app: { commands },
  history,
  translator
}: ICommandContext): void {
  const trans = translator.load('jupyterlab_kernelgate');
  const find = (id: unknown) =>
    history.runs.find(run =>
      typeof id === 'string' ? run.id === id : textForModel(run) !== null
    );
  commands.addCommand(CommandIDs.copyForModel, {
    label: trans.__('Copy for the model'),
    caption: trans.__(
      'What is wrong, where, and what to change, as a text to be pasted into a model’s chat'
    ),
    describedBy: argumentsOf({ run: idProperty(trans.__('The id of a run')) }),
    isEnabled: args => find(args.run) !== undefined,
    execute: args => {
      const run = find(args.run);
      const text = run && textForModel(run);
      if (!run || !text) {
        return null;
      }
      Clipboard.copyToSystem(text);
      Notification.info(
        trans.__('Run %1 is copied, to be pasted for the model.', run.number),
        { autoClose: TOAST_MS }
      );
      return { run: run.id, text };
    }
  });
}

function addRestartKernel(context: ICommandContext, load: LoadActions): void {
  const {
    app: { commands },
    translator
  } = context;
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.restartKernel, {
    label: trans.__('Restart the kernel of a run'),
    caption: trans.__('Without a run, the kernel of the notebook in front'),
    describedBy: argumentsOf({ run: idProperty(trans.__('The id of a run')) }),
    execute: async args => {
      const panel = notebookOf(context, args.run);
      if (!panel) {
        return null;
      }
      await (await load()).restartKernel(panel);
      return { isRestarted: true };
    }
  });
}

function addInsertComparison(
  { app: { commands }, history, translator }: ICommandContext,
  load: LoadActions
): void {
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.insertComparison, {
    label: trans.__('Insert the comparison of two runs'),
    describedBy: argumentsOf(
      {
        before: idProperty(trans.__('The id of the earlier run')),
        after: idProperty(trans.__('The id of the later run'))
      },
      ['before', 'after']
    ),
    execute: async args => {
      const before = history.find(String(args.before));
      const after = history.find(String(args.after));
      if (!before || !after) {
        return null;
      }
      await (await load()).insertComparison(before, after);
      return { before: before.run.id, after: after.run.id };
    }
  });
}
