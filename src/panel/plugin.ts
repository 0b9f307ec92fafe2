import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { CommandIDs } from '../commandIds';
import { reportBus } from '../model';
import {
  insertDisabledReason,
  timeDisabledReason,
  verifyDisabledReason
} from '../kernel/disabledReason';
import { ICatalogue, IFoundRun, IKernelLink, IReportHistory } from '../tokens';
import { PanelModel } from './model';
import { KernelPanel } from './widget';

const RANK = 600;

export const panel: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-kernelgate:panel',
  description: 'A side panel: device, catalogue, runs, and what was sent.',
  autoStart: true,
  requires: [INotebookTracker, ICatalogue, IKernelLink, IReportHistory],
  optional: [ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    catalogue: ICatalogue,
    link: IKernelLink,
    history: IReportHistory,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ) => {
    const { commands, shell } = app;
    const words = translator ?? nullTranslator;
    const model = new PanelModel({
      tracker,
      link,
      history,
      catalogue,
      insertDisabledReason: () => insertDisabledReason(link.state, words),
      verifyDisabledReason: () =>
        verifyDisabledReason(link.state, link.isBusy, words),
      timeDisabledReason: () =>
        timeDisabledReason(link.state, link.isBusy, words)
    });
    const widget = new KernelPanel(
      model,
      {
        insert: operator =>
          void commands.execute(CommandIDs.insert, { operator }),
        verify: operator =>
          void commands.execute(CommandIDs.verify, { operator }),
        benchmark: operator =>
          void commands.execute(CommandIDs.benchmark, { operator }),
        goToRun: run => void commands.execute(CommandIDs.revealRun, { run }),
        toggleCompared: run => model.toggleCompared(run),
        cancel: run => void commands.execute(CommandIDs.interrupt, { run }),
        refresh: () => link.refresh(),
        insertInstallCell: () =>
          void commands.execute(CommandIDs.insertInstallCell),
        chooseKernel: () => void commands.execute('notebook:change-kernel'),
        restartKernel: () => void commands.execute('notebook:restart-kernel'),
        newNotebook: () => void commands.execute(CommandIDs.newNotebook)
      },
      words
    );
    const compare = (found: IFoundRun | null) => {
      if (found) {
        // It would take the focus, too.
        if (found.notebook !== tracker.currentWidget) {
          shell.activateById(found.notebook.id);
        }
        shell.activateById(widget.id);
        model.compare(found.run.id);
        void widget.showComparison();
      }
    };
    commands.addCommand(CommandIDs.compareRun, {
      label: words.load('jupyterlab_kernelgate').__('Compare a run'),
      describedBy: {
        args: {
          type: 'object',
          properties: { run: { type: 'string' } },
          required: ['run']
        }
      },
      execute: args => compare(history.find(String(args.run)))
    });
    reportBus.offer({ compare: output => compare(history.holding(output)) });
    restorer?.add(widget, widget.id);
    shell.add(widget, 'right', { rank: RANK });
  }
};
