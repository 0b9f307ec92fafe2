/** The commands: what a person can do to a notebook, from wherever they do it. */

import { ICommandContext } from './commandContext';
import { addInsertCommands } from './insert/commands';
import { addRunCommands } from './reports/commands';
import { RunActions } from './reports/runActions';
import { addVerifyCommands, verifyOptions } from './verify/commands';
import { verifyAgain } from './verify/verifyCell';

/** Adds the commands; the actions on runs are for others, too. */
export function addCommands(context: ICommandContext): RunActions {
  const actions = new RunActions({
    app: context.app,
    translator: context.translator,
    verifyAgain: (panel, verb, cellId) =>
      verifyAgain({ ...verifyOptions(context, panel, verb), cellId })
  });
  addInsertCommands(context);
  addVerifyCommands(context);
  addRunCommands(context, actions);
  return actions;
}
