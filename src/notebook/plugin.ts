import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { reportHub } from '../report';
import { ICatalogue, IKernelLink, IReportHistory } from '../tokens';
import { addCommands, CommandIDs } from './commands';
import { ReportHistory } from './history';

export const reportHistory: JupyterFrontEndPlugin<IReportHistory> = {
  id: 'jupyterlab-kernelgate:history',
  description: 'Keeps the runs of the open notebooks.',
  autoStart: true,
  requires: [INotebookTracker],
  provides: IReportHistory,
  activate: (_, tracker: INotebookTracker) => new ReportHistory(tracker)
};

/** Bears the name of the schema, which puts its commands into toolbar and menu. */
export const commands: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-kernelgate:plugin',
  description: 'Commands that insert, verify and find programs in a notebook.',
  autoStart: true,
  requires: [INotebookTracker, ICatalogue, IKernelLink, IReportHistory],
  optional: [ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    catalogue: ICatalogue,
    link: IKernelLink,
    history: IReportHistory,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    translator ??= nullTranslator;
    const { commands } = app;
    addCommands({ app, tracker, catalogue, link, history, translator });

    const notify = () => {
      commands.notifyCommandChanged(CommandIDs.insert);
      commands.notifyCommandChanged(CommandIDs.verify);
      commands.notifyCommandChanged(CommandIDs.benchmark);
      commands.notifyCommandChanged(CommandIDs.profile);
      commands.notifyCommandChanged(CommandIDs.interrupt);
      commands.notifyCommandChanged(CommandIDs.insertInstallCell);
    };
    tracker.currentChanged.connect(notify);
    link.changed.connect(notify);
    history.changed.connect(notify);

    // What a report may ask for; ids of its data are looked up, never believed.
    reportHub.offer({
      interrupt: run => void commands.execute(CommandIDs.interrupt, { run }),
      revealCell: (cellId, line) =>
        void commands.execute(CommandIDs.revealCell, { cellId, line }),
      insertFix: run => void commands.execute(CommandIDs.insertFix, { run }),
      insertFailingCase: run =>
        void commands.execute(CommandIDs.insertFailingCase, { run }),
      runAgain: run => void commands.execute(CommandIDs.runAgain, { run }),
      restartKernel: run =>
        void commands.execute(CommandIDs.restartKernel, { run })
    });

    if (palette) {
      const trans = translator.load('jupyterlab_kernelgate');
      const category = trans.__('KernelGate');
      for (const { id, program } of catalogue.operators) {
        if (program !== null) {
          palette.addItem({
            command: CommandIDs.insert,
            args: { operator: id, isPalette: true },
            category
          });
        }
      }
      for (const command of [
        CommandIDs.verify,
        CommandIDs.benchmark,
        CommandIDs.profile,
        CommandIDs.interrupt,
        CommandIDs.insertInstallCell,
        CommandIDs.newNotebook
      ]) {
        palette.addItem({ command, category });
      }
    }
  }
};
