/** The commands for a run of the notebook in front, by its id there. */

import { IFoundRun } from '../../tokens';
import { CommandIDs } from '../../tokens/commandIds';
import { argumentsOf, ICommandContext, idProperty } from '../commandContext';
import { RunActions } from './runActions';

export function addRunCommands(
  context: ICommandContext,
  actions: RunActions
): void {
  const { translator } = context;
  const trans = translator.load('jupyterlab_kernelgate');
  const add = (
    id: string,
    label: string,
    act: (found: IFoundRun) => void | Promise<void>
  ) => addRunCommand(context, id, label, act);
  add(CommandIDs.revealRun, trans.__('Go to the cell of a run'), found =>
    actions.reveal(found)
  );
  add(CommandIDs.runAgain, trans.__('Repeat a run'), found =>
    actions.runAgain(found)
  );
  add(CommandIDs.insertFix, trans.__('Insert the fix of a run'), found =>
    actions.insertFix(found)
  );
  add(
    CommandIDs.insertFailingCase,
    trans.__('Insert the failing case of a run'),
    found => actions.insertFailingCase(found)
  );
  add(
    CommandIDs.restartKernel,
    trans.__('Restart the kernel of a run'),
    found => actions.restartKernel(found)
  );
  addRevealCell(context, actions);
  addInterrupt(context, actions);
}

function addRunCommand(
  { app: { commands }, history, translator }: ICommandContext,
  id: string,
  label: string,
  act: (found: IFoundRun) => void | Promise<void>
): void {
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(id, {
    label,
    describedBy: argumentsOf({ run: idProperty(trans.__('The id of a run')) }, [
      'run'
    ]),
    execute: async args => {
      const found = history.find(String(args.run));
      if (found) {
        await act(found);
      }
    }
  });
}

function addRevealCell(
  { app: { commands }, tracker, translator }: ICommandContext,
  actions: RunActions
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
    execute: args => {
      const line = typeof args.line === 'number' ? args.line : undefined;
      if (tracker.currentWidget) {
        actions.revealCell(tracker.currentWidget, String(args.cellId), line);
      }
    }
  });
}

function addInterrupt(
  { app: { commands }, tracker, history, translator }: ICommandContext,
  actions: RunActions
): void {
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.interrupt, {
    label: trans.__('Cancel run'),
    caption: trans.__('Interrupt the kernel; finished stages are kept'),
    describedBy: argumentsOf({ run: idProperty(trans.__('The id of a run')) }),
    isEnabled: args =>
      typeof args.run === 'string' || history.runs.some(run => run.isRunning),
    execute: async args => {
      const panel =
        typeof args.run === 'string'
          ? history.find(args.run)?.notebook
          : tracker.currentWidget;
      if (panel) {
        await actions.interrupt(panel);
      }
    }
  });
}
