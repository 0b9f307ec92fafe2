/** The commands that verify, benchmark and profile the program of a cell. */

import { NotebookPanel } from '@jupyterlab/notebook';
import {
  ReadonlyJSONObject,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';

import {
  timeDisabledReason,
  verifyDisabledReason
} from '../../kernel/disabledReason';
import { IReportHistory } from '../../tokens';
import { CommandIDs } from '../../tokens/commandIds';
import { argumentsOf, ICommandContext, idProperty } from '../commandContext';
import { askPermission } from '../reports/permission';
import { Verb, verbCaption, verbLabel, VERBS } from './verbs';
import type { IVerifyOptions } from './verifyCell';

export function addVerifyCommands(context: ICommandContext): void {
  for (const verb of VERBS) {
    addVerb(verb, context);
  }
}

function addVerb(verb: Verb, context: ICommandContext): void {
  const { app, tracker, catalogue, link, translator } = context;
  const trans = translator.load('jupyterlab_kernelgate');
  const id = CommandIDs[verb];
  const disabledReason = () =>
    (verb === 'verify' ? verifyDisabledReason : timeDisabledReason)(
      link.state,
      link.isBusy,
      translator
    );
  const operatorOf = (args: ReadonlyPartialJSONObject) =>
    catalogue.get(args.operator) ?? undefined;
  app.commands.addCommand(id, {
    label: args =>
      args.thorough === true && verb === 'verify'
        ? trans.__('Verify program in cell thoroughly')
        : verbLabel(verb, operatorOf(args)?.name, trans),
    caption: () => disabledReason() || verbCaption(verb, trans),
    describedBy: () => verbArguments(context),
    isEnabled: () => disabledReason() === '',
    execute: async args => {
      const operator = operatorOf(args);
      if (args.operator !== undefined && !operator) {
        throw new Error(`${id} takes the id of an operator`);
      }
      const panel = tracker.currentWidget;
      if (!panel) {
        return null;
      }
      const cellId =
        typeof args.cellId === 'string'
          ? args.cellId
          : args.atPointer === true
            ? cellAtPointer(context, panel)
            : undefined;
      askPermission(context.preferences());
      const { verifyCell } = await import('./verifyCell');
      const ran = await verifyCell({
        ...verifyOptions(context, panel, verb),
        cellId,
        operator,
        thorough: args.thorough === true
      });
      return ran === null ? null : ranIn(ran, context.history);
    }
  });
}

/** What the commands take. */
function verbArguments({ catalogue, translator }: ICommandContext) {
  const trans = translator.load('jupyterlab_kernelgate');
  return argumentsOf({
    operator: idProperty(
      trans.__('The id of an operator of the catalogue'),
      catalogue.operators.map(one => one.id)
    ),
    cellId: idProperty(trans.__('The id of a cell of the notebook in front')),
    atPointer: {
      type: 'boolean',
      description: trans.__(
        'Whether the cell is meant on which the context menu was opened'
      )
    },
    thorough: {
      type: 'boolean',
      description: trans.__('Whether more cases are tried')
    }
  });
}

/** Lab does not make a cell the active one when its menu is opened. */
function cellAtPointer(
  { app }: ICommandContext,
  { content }: NotebookPanel
): string | undefined {
  const node = app.contextMenuHitTest(one => one.matches('.jp-Cell'));
  return content.widgets.find(cell => cell.node === node)?.model.id;
}

/** What a command answers of the run that a cell shows. */
function ranIn(cellId: string, { runs }: IReportHistory): ReadonlyJSONObject {
  const found = runs.find(({ cell }) => cell?.id === cellId);
  return {
    cellId,
    run: found?.id ?? null,
    outcome: found?.report.verdict?.outcome ?? null,
    sentence: found?.report.verdict?.sentence ?? null
  };
}

/** What a verb needs besides a person's arguments. */
export function verifyOptions(
  {
    app: { commands },
    catalogue,
    link,
    languages,
    preferences,
    translator
  }: ICommandContext,
  panel: NotebookPanel,
  verb: Verb
): IVerifyOptions {
  return {
    panel,
    verb,
    catalogue,
    link,
    options: preferences(),
    python: async () =>
      (await import('../programs/python')).pythonReader(languages),
    translator,
    insert: ({ id }) =>
      void commands.execute(CommandIDs.insert, { operator: id }),
    insertInstallCell: () => void commands.execute(CommandIDs.insertInstallCell)
  };
}
