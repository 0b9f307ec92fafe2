/** The commands that put a cell into a notebook. None runs it. */

import { NotebookPanel } from '@jupyterlab/notebook';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { insertDisabledReason } from '../../kernel/disabledReason';
import { IOperator } from '../../tokens';
import { CommandIDs } from '../../tokens/commandIds';
import { operatorIcon } from '../../ui/icons';
import { insertCode } from '../cells';
import { argumentsOf, ICommandContext, idProperty } from '../commandContext';

export function addInsertCommands(context: ICommandContext): void {
  addInsert(context);
  addInsertInstallCell(context);
  addNewNotebook(context);
}

function addInsert({
  app: { commands },
  tracker,
  catalogue,
  link,
  translator
}: ICommandContext): void {
  const trans = translator.load('jupyterlab_kernelgate');
  const disabledReason = () => insertDisabledReason(link.state, translator);
  const operatorOf = (args: ReadonlyPartialJSONObject) =>
    catalogue.get(args.operator);
  const insertable = catalogue.operators
    .filter(({ program }) => program !== null)
    .map(({ id }) => id);
  commands.addCommand(CommandIDs.insert, {
    label: args => {
      const operator = operatorOf(args);
      return operator
        ? trans.__('Insert optimized %1', operator.name)
        : trans.__('Insert optimized operator');
    },
    caption: args => {
      const operator = operatorOf(args);
      return (
        disabledReason() ||
        (operator
          ? // The toolbar's button may be its icon alone.
            trans.__('Insert %1: %2', operator.name, operator.summary)
          : '')
      );
    },
    icon: args => (args.isPalette ? undefined : operatorIcon),
    describedBy: argumentsOf(
      {
        operator: idProperty(
          trans.__('The id of an operator of the catalogue'),
          insertable
        )
      },
      ['operator']
    ),
    isEnabled: args =>
      disabledReason() === '' && Boolean(operatorOf(args)?.program),
    execute: args => {
      const operator = operatorOf(args);
      if (!operator || operator.program === null) {
        throw new Error('kernelgate:insert takes the id of an operator');
      }
      if (tracker.currentWidget) {
        insertProgram(tracker.currentWidget, operator, operator.program);
      }
    }
  });
}

function addInsertInstallCell({
  app: { commands },
  tracker,
  translator
}: ICommandContext): void {
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.insertInstallCell, {
    label: trans.__('Insert install cell'),
    caption: trans.__(
      'A cell that installs the kernelgate package in this kernel'
    ),
    describedBy: argumentsOf(),
    isEnabled: () => tracker.currentWidget !== null,
    execute: () => {
      if (tracker.currentWidget) {
        insertCode(tracker.currentWidget.content, '%pip install kernelgate');
      }
    }
  });
}

function addNewNotebook({
  app: { commands },
  catalogue,
  translator
}: ICommandContext): void {
  const trans = translator.load('jupyterlab_kernelgate');
  commands.addCommand(CommandIDs.newNotebook, {
    label: trans.__('New notebook with an example'),
    describedBy: argumentsOf(),
    execute: async () => {
      const panel: unknown = await commands.execute('notebook:create-new', {
        activate: true
      });
      const operator = catalogue.operators.find(one => one.program !== null);
      if (panel instanceof NotebookPanel && operator?.program) {
        // Its one empty cell gives way: Lab has to be done with it.
        await panel.revealed;
        await panel.content.activeCell?.ready;
        insertProgram(panel, operator, operator.program);
      }
    }
  });
}

function insertProgram(
  panel: NotebookPanel,
  { id }: IOperator,
  program: string
): void {
  // Hundreds of lines would push everything else out of sight.
  insertCode(panel.content, program, {
    mark: { operator: id },
    isFolded: true
  });
}
