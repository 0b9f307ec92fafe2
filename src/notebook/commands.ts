/** The commands that act on a notebook, wherever they are invoked. */

import { ICommandContext, LoadActions } from './commandContext';
import { addInsertCommands } from './insert/commands';
import { addRunCommands } from './reports/commands';
import { askPermission } from './reports/permission';
import { addVerifyCommands, verifyOptions } from './verify/commands';

/** Adds the commands. Returns the actions on runs, which others use too. */
export function addCommands(context: ICommandContext): LoadActions {
  let loaded: ReturnType<LoadActions> | undefined;
  const load: LoadActions = () =>
    (loaded ??= loadActions(context).catch(error => {
      loaded = undefined;
      throw error;
    }));
  addInsertCommands(context);
  addVerifyCommands(context);
  addRunCommands(context, load);
  return load;
}

async function loadActions(context: ICommandContext): ReturnType<LoadActions> {
  const [{ RunActions }, { verifyAgain }] = await Promise.all([
    import('./reports/runActions'),
    import('./verify/verifyCell')
  ]);
  return new RunActions({
    app: context.app,
    translator: context.translator,
    history: context.history,
    dialogs: context.dialogs,
    verifyAgain: (panel, verb, cellId) => {
      askPermission(context.preferences());
      return verifyAgain({ ...verifyOptions(context, panel, verb), cellId });
    }
  });
}
