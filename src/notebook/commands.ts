/**
 * The commands: what a person can do to a notebook, from wherever they do it.
 *
 * Arguments are ids that are looked up, never code or paths: a page may hold
 * buttons that a stranger's notebook put there.
 */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { CommandIDs } from '../commandIds';
import { operatorIcon } from '../ui/icons';
import {
  ICatalogue,
  IFoundRun,
  IKernelLink,
  IOperator,
  IReportHistory
} from '../tokens';
import { insertCode } from './cells';
import { RunActions } from './reports/runActions';
import { verbCaption, verbLabel, VERBS } from './verify/verbs';
import { verifyAgain, verifyCell } from './verify/verifyCell';
import {
  insertDisabledReason,
  timeDisabledReason,
  verifyDisabledReason
} from '../kernel/disabledReason';

export interface ICommandsOptions {
  app: JupyterFrontEnd;
  tracker: INotebookTracker;
  catalogue: ICatalogue;
  link: IKernelLink;
  history: IReportHistory;
  translator: ITranslator;
}

/** Adds the commands; the actions on runs are for others, too. */
export function addCommands(options: ICommandsOptions): RunActions {
  const { app, tracker, catalogue, link, history, translator } = options;
  const { commands } = app;
  const trans = translator.load('jupyterlab_kernelgate');
  const actions = new RunActions({
    app,
    translator,
    verifyAgain: (panel, verb, cellId) =>
      verifyAgain({ ...common(panel), verb, cellId })
  });

  const hasNotebook = () => tracker.currentWidget !== null;
  const whyNot = () => insertDisabledReason(link.state, translator);
  const operatorOf = (args: ReadonlyPartialJSONObject) =>
    catalogue.get(args.operator);

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
        whyNot() ||
        (operator
          ? // The toolbar's button may be its icon alone.
            trans.__('Insert %1: %2', operator.name, operator.summary)
          : '')
      );
    },
    icon: args => (args.isPalette ? undefined : operatorIcon),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          operator: {
            type: 'string',
            enum: catalogue.operators
              .filter(({ program }) => program !== null)
              .map(({ id }) => id),
            description: trans.__('The id of an operator of the catalogue')
          }
        },
        required: ['operator']
      }
    },
    isEnabled: args => whyNot() === '' && Boolean(operatorOf(args)?.program),
    execute: args => {
      const operator = operatorOf(args);
      const panel = tracker.currentWidget;
      if (!operator || operator.program === null) {
        throw new Error('kernelgate:insert takes the id of an operator');
      }
      if (panel) {
        insertProgram(panel, operator, operator.program);
      }
    }
  });

  for (const verb of VERBS) {
    const id = CommandIDs[verb];
    const why = () =>
      (verb === 'verify' ? verifyDisabledReason : timeDisabledReason)(
        link.state,
        link.isBusy,
        translator
      );
    commands.addCommand(id, {
      label: args => verbLabel(verb, operatorOf(args)?.name, trans),
      caption: () => why() || verbCaption(verb, trans),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            operator: {
              type: 'string',
              enum: catalogue.operators.map(({ id }) => id),
              description: trans.__('The id of an operator of the catalogue')
            },
            cellId: {
              type: 'string',
              description: trans.__('The id of a cell of the notebook in front')
            }
          }
        }
      },
      isEnabled: () => why() === '',
      execute: async args => {
        const operator = operatorOf(args) ?? undefined;
        if (args.operator !== undefined && !operator) {
          throw new Error(`${id} takes the id of an operator`);
        }
        const cellId =
          typeof args.cellId === 'string' ? args.cellId : undefined;
        if (tracker.currentWidget) {
          await verifyCell({
            ...common(tracker.currentWidget),
            verb,
            cellId,
            operator
          });
        }
      }
    });
  }

  /** A command for a run of the notebook in front, by its id there. */
  function addRunCommand(
    id: string,
    label: string,
    act: (found: IFoundRun) => void | Promise<void>
  ): void {
    commands.addCommand(id, {
      label,
      describedBy: { args: oneId('run', trans.__('The id of a run')) },
      execute: async args => {
        const found = history.find(String(args.run));
        if (found) {
          await act(found);
        }
      }
    });
  }

  addRunCommand(
    CommandIDs.revealRun,
    trans.__('Go to the cell of a run'),
    found => actions.reveal(found)
  );
  addRunCommand(CommandIDs.runAgain, trans.__('Repeat a run'), found =>
    actions.runAgain(found)
  );
  addRunCommand(
    CommandIDs.insertFix,
    trans.__('Insert the fix of a run'),
    found => actions.insertFix(found)
  );
  addRunCommand(
    CommandIDs.insertFailingCase,
    trans.__('Insert the failing case of a run'),
    found => actions.insertFailingCase(found)
  );
  addRunCommand(
    CommandIDs.restartKernel,
    trans.__('Restart the kernel of a run'),
    found => actions.restartKernel(found)
  );

  commands.addCommand(CommandIDs.revealCell, {
    label: trans.__('Go to a cell'),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          cellId: {
            type: 'string',
            description: trans.__('The id of a cell of the notebook in front')
          },
          line: { type: 'number', description: trans.__('A line, from 1') }
        },
        required: ['cellId']
      }
    },
    execute: args => {
      const line = typeof args.line === 'number' ? args.line : undefined;
      if (tracker.currentWidget) {
        actions.revealCell(tracker.currentWidget, String(args.cellId), line);
      }
    }
  });

  commands.addCommand(CommandIDs.interrupt, {
    label: trans.__('Cancel run'),
    caption: trans.__('Interrupt the kernel; finished stages are kept'),
    describedBy: { args: oneId('run', trans.__('The id of a run'), false) },
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

  commands.addCommand(CommandIDs.insertInstallCell, {
    label: trans.__('Insert install cell'),
    caption: trans.__(
      'A cell that installs the kernelgate package in this kernel'
    ),
    describedBy: { args: { type: 'object', properties: {} } },
    isEnabled: hasNotebook,
    execute: () => {
      if (tracker.currentWidget) {
        insertCode(tracker.currentWidget.content, '%pip install kernelgate');
      }
    }
  });

  commands.addCommand(CommandIDs.newNotebook, {
    label: trans.__('New notebook with an example'),
    describedBy: { args: { type: 'object', properties: {} } },
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

  /** What every verb needs beside its own arguments. */
  function common(panel: NotebookPanel) {
    return {
      panel,
      catalogue,
      link,
      translator,
      insert: ({ id }: IOperator) =>
        void commands.execute(CommandIDs.insert, { operator: id }),
      insertInstallCell: () =>
        void commands.execute(CommandIDs.insertInstallCell)
    };
  }

  return actions;
}

function oneId(name: string, description: string, required = true) {
  return {
    type: 'object',
    properties: { [name]: { type: 'string', description } },
    required: required ? [name] : []
  };
}
