/** The commands: what a person can do to a notebook, from wherever they do it. */

import { ICommandContext, LoadActions } from './commandContext';
import { addInsertCommands } from './insert/commands';
import { addRunCommands } from './reports/commands';
import { addVerifyCommands, verifyOptions } from './verify/commands';

/** Adds the commands; the actions on runs are for others, too. */
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
    verifyAgain: (panel, verb, cellId) =>
      verifyAgain({ ...verifyOptions(context, panel, verb), cellId })
  });
}
