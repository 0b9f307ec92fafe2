/**
 * The commands: what a person can do to a notebook, from wherever they do it.
 *
 * Arguments are ids that are looked up, never code or paths: a page may hold
 * buttons that a stranger's notebook put there.
 */

import { Notification } from '@jupyterlab/apputils';
import { JupyterFrontEnd } from '@jupyterlab/application';
import {
  INotebookTracker,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { operatorIcon } from '../icons';
import { ICatalogue, IKernelLink, IOperator, IReportHistory } from '../tokens';
import { failingCaseSource } from './casecell';
import {
  goToCell,
  indexOfCell,
  insertCode,
  insertCodeBelow,
  markOf
} from './cells';
import { placeFix } from './fix';
import { Verb, verbCaption, verbLabel, VERBS } from './verbs';
import { runCell } from './verify';
import { verifyCell } from './verifycell';
import { whyNotTime, whyNotVerify } from './why';

export namespace CommandIDs {
  export const insert = 'kernelgate:insert';
  export const verify = 'kernelgate:verify';
  export const benchmark = 'kernelgate:benchmark';
  export const profile = 'kernelgate:profile';
  export const revealRun = 'kernelgate:reveal-run';
  export const revealCell = 'kernelgate:reveal-cell';
  export const runAgain = 'kernelgate:run-again';
  export const compareRun = 'kernelgate:compare-run';
  export const insertFix = 'kernelgate:insert-fix';
  export const insertFailingCase = 'kernelgate:insert-failing-case';
  export const interrupt = 'kernelgate:interrupt';
  export const restartKernel = 'kernelgate:restart-kernel';
  export const insertInstallCell = 'kernelgate:insert-install-cell';
  export const newNotebook = 'kernelgate:new-notebook';
}

export interface ICommandsOptions {
  app: JupyterFrontEnd;
  tracker: INotebookTracker;
  catalogue: ICatalogue;
  link: IKernelLink;
  history: IReportHistory;
  translator: ITranslator;
}

export function addCommands(options: ICommandsOptions): void {
  const { app, tracker, catalogue, link, history, translator } = options;
  const { commands, shell } = app;
  const trans = translator.load('jupyterlab_kernelgate');

  const hasNotebook = () => tracker.currentWidget !== null;
  const operatorOf = (args: ReadonlyPartialJSONObject) =>
    catalogue.get(args.operator);

  commands.addCommand(CommandIDs.insert, {
    label: args => {
      const operator = operatorOf(args);
      return operator
        ? trans.__('Insert optimized %1', operator.name)
        : trans.__('Insert optimized operator');
    },
    caption: args =>
      hasNotebook()
        ? (operatorOf(args)?.summary ?? '')
        : trans.__('Open a notebook first'),
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
    isEnabled: args => hasNotebook() && Boolean(operatorOf(args)?.program),
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
      (verb === 'verify' ? whyNotVerify : whyNotTime)(
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
          await verify(tracker.currentWidget, verb, cellId, operator);
        }
      }
    });
  }

  commands.addCommand(CommandIDs.revealRun, {
    label: trans.__('Go to the cell of a run'),
    describedBy: { args: oneId('run', trans.__('The id of a run')) },
    execute: args => {
      const found = history.find(String(args.run));
      if (found?.run.cell) {
        reveal(found.notebook, found.run.cell.id);
      }
    }
  });

  commands.addCommand(CommandIDs.revealCell, {
    label: trans.__('Go to a cell'),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          cellId: { type: 'string', description: trans.__('The id of a cell') },
          line: { type: 'number', description: trans.__('A line, from 1') }
        },
        required: ['cellId']
      }
    },
    execute: args => {
      const line = typeof args.line === 'number' ? args.line : undefined;
      const panel = notebookWithCell(String(args.cellId));
      if (panel) {
        reveal(panel, String(args.cellId), line);
      }
    }
  });

  commands.addCommand(CommandIDs.runAgain, {
    label: trans.__('Repeat a run'),
    describedBy: { args: oneId('run', trans.__('The id of a run')) },
    execute: async args => {
      const found = history.find(String(args.run));
      const cellId = found?.run.cell?.id;
      if (!found || cellId === undefined) {
        return;
      }
      const { notebook } = found;
      reveal(notebook, cellId);
      const shown = notebook.content.activeCell;
      if (shown && markOf(shown.model).verify !== undefined) {
        const operator = catalogue.get(found.run.report.problem.id);
        const { verb } = found.run.report;
        await verify(notebook, verb, cellId, operator ?? undefined);
      } else {
        await runCell(notebook, cellId, translator);
      }
    }
  });

  commands.addCommand(CommandIDs.insertFix, {
    label: trans.__('Insert the fix of a run'),
    describedBy: { args: oneId('run', trans.__('The id of a run')) },
    execute: args => {
      const found = history.find(String(args.run));
      const { failure, candidate } = found?.run.report ?? {};
      if (!found || !failure?.insertion || !candidate?.cell_id) {
        return;
      }
      const { notebook, run } = found;
      const index = indexOfCell(notebook.content, candidate.cell_id);
      const model = notebook.content.widgets[index]?.model.sharedModel;
      // The place is one of the text that was run, and of no other.
      const fix =
        model && !run.isStale
          ? placeFix(model.getSource(), failure.insertion)
          : null;
      if (!model || !fix) {
        Notification.warning(
          trans.__(
            'The cell was edited after this report, so that the fix has no place in it. Run it again.'
          )
        );
        return;
      }
      model.updateSource(fix.offset, fix.offset, fix.text);
      reveal(notebook, candidate.cell_id, fix.line);
    }
  });

  commands.addCommand(CommandIDs.insertFailingCase, {
    label: trans.__('Insert the failing case of a run'),
    describedBy: { args: oneId('run', trans.__('The id of a run')) },
    execute: args => {
      const found = history.find(String(args.run));
      const source = found && failingCaseSource(found.run.report);
      if (!source) {
        return;
      }
      const { content, id } = found.notebook;
      const cell = found.run.report.candidate.cell_id ?? '';
      const index = indexOfCell(content, cell);
      if (index < 0) {
        Notification.warning(
          trans.__('The cell that was judged is no longer in this notebook.')
        );
        return;
      }
      shell.activateById(id);
      insertCodeBelow(content, index, source);
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
      try {
        await panel?.sessionContext.session?.kernel?.interrupt();
      } catch {
        Notification.error(
          trans.__(
            'The kernel did not take the interrupt. Restart it to end the run.'
          ),
          { autoClose: false }
        );
      }
    }
  });

  commands.addCommand(CommandIDs.restartKernel, {
    label: trans.__('Restart the kernel of a run'),
    describedBy: { args: oneId('run', trans.__('The id of a run')) },
    execute: async args => {
      const found = history.find(String(args.run));
      if (found) {
        shell.activateById(found.notebook.id);
        await commands.execute('notebook:restart-kernel');
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
    insertCode(panel.content, program, { operator: id });
  }

  function verify(
    panel: NotebookPanel,
    verb: Verb,
    cellId: string | undefined,
    operator: IOperator | undefined
  ): Promise<void> {
    return verifyCell({
      panel,
      verb,
      cellId,
      operator,
      catalogue,
      link,
      translator,
      insertInstallCell: () =>
        void commands.execute(CommandIDs.insertInstallCell)
    });
  }

  function notebookWithCell(cellId: string): NotebookPanel | undefined {
    return tracker.find(
      ({ content }) =>
        content.model !== null && indexOfCell(content, cellId) >= 0
    );
  }

  function reveal(panel: NotebookPanel, cellId: string, line?: number): void {
    const index = indexOfCell(panel.content, cellId);
    if (index < 0) {
      return;
    }
    shell.activateById(panel.id);
    goToCell(panel.content, index, { line });
    if (panel.content.activeCell) {
      NotebookActions.expandParent(panel.content.activeCell, panel.content);
    }
  }
}

function oneId(name: string, description: string, required = true) {
  return {
    type: 'object',
    properties: { [name]: { type: 'string', description } },
    required: required ? [name] : []
  };
}
