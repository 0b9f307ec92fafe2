import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { CommandIDs } from '../tokens/commandIds';
import { reportBus } from '../model';
import {
  insertDisabledReason,
  timeDisabledReason,
  verifyDisabledReason
} from '../kernel/disabledReason';
import {
  ICatalogue,
  IFoundRun,
  IKernelLink,
  IPreferenceStore,
  IPrograms,
  IReportHistory
} from '../tokens';
import { IPanelActions } from './actions';
import { PanelModel } from './model';
import { KernelPanel } from './widget';

const RANK = 600;

export const panel: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-kernelgate:panel',
  description: 'A side panel: device, catalogue, runs, and what was sent.',
  autoStart: true,
  requires: [
    INotebookTracker,
    ICatalogue,
    IKernelLink,
    IReportHistory,
    IPreferenceStore
  ],
  optional: [ITranslator, ILayoutRestorer, IPrograms],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    catalogue: ICatalogue,
    link: IKernelLink,
    history: IReportHistory,
    preferences: IPreferenceStore,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    programs: IPrograms | null
  ) => {
    const words = translator ?? nullTranslator;
    const model = new PanelModel({
      tracker,
      link,
      history,
      catalogue,
      preferences,
      programs,
      insertDisabledReason: () => insertDisabledReason(link.state, words),
      verifyDisabledReason: () =>
        verifyDisabledReason(link.state, link.isBusy, words),
      timeDisabledReason: () =>
        timeDisabledReason(link.state, link.isBusy, words)
    });
    const actions = panelActions(app.commands, model, link, programs);
    const widget = new KernelPanel(model, actions, words);
    const compare = (found: IFoundRun | null) => {
      if (found) {
        // It would take the focus, too.
        if (found.notebook !== tracker.currentWidget) {
          app.shell.activateById(found.notebook.id);
        }
        app.shell.activateById(widget.id);
        model.compare(found.run.id);
        void widget.showComparison();
      }
    };
    app.commands.addCommand(CommandIDs.compareRun, {
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
    addShowDifference(app, history, words);
    app.commands.addCommand(CommandIDs.showPanel, {
      label: words.load('jupyterlab_kernelgate').__('Show KernelGate'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => app.shell.activateById(widget.id)
    });
    reportBus.offer({ compare: output => compare(history.holding(output)) });
    restorer?.add(widget, widget.id);
    app.shell.add(widget, 'right', { rank: RANK });
  }
};

/** Opens the difference of the programs of two runs beside the notebook. */
function addShowDifference(
  { commands, shell }: JupyterFrontEnd,
  history: IReportHistory,
  translator: ITranslator
): void {
  const trans = translator.load('jupyterlab_kernelgate');
  const run = (description: string) => ({ type: 'string', description });
  commands.addCommand(CommandIDs.showDifference, {
    label: trans.__('Show what changed between the programs of two runs'),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          before: run(trans.__('The id of the earlier run')),
          after: run(trans.__('The id of the later run'))
        },
        required: ['before', 'after']
      }
    },
    execute: async args => {
      const before = history.find(String(args.before));
      const after = history.find(String(args.after));
      if (before && after) {
        const { showDifference } = await import('./difference');
        await showDifference(before, after, { history, shell, trans });
      }
    }
  });
}

/** The panel's buttons are commands: what they do is the notebook's part. */
function panelActions(
  commands: JupyterFrontEnd['commands'],
  model: PanelModel,
  link: IKernelLink,
  programs: IPrograms | null
): IPanelActions {
  const run = (id: string, args: ReadonlyPartialJSONObject = {}) =>
    void commands.execute(id, args);
  return {
    insert: (operator, choice) =>
      run(CommandIDs.insert, { operator, ...choice }),
    verify: operator => run(CommandIDs.verify, { operator }),
    benchmark: operator => run(CommandIDs.benchmark, { operator }),
    runCell: (verb, cellId) => run(CommandIDs[verb], { cellId }),
    choose: (cellId, key) => programs?.choose(cellId, key),
    setOptions: (cellId, options) => programs?.set(cellId, options),
    copyForModel: id => run(CommandIDs.copyForModel, { run: id }),
    paste: () => run(CommandIDs.pasteAndVerify),
    goToRun: id => run(CommandIDs.revealRun, { run: id }),
    toggleCompared: id => model.toggleCompared(id),
    deleteRun: id => run(CommandIDs.deleteRun, { run: id }),
    showDifference: (before, after) =>
      run(CommandIDs.showDifference, { before, after }),
    insertComparison: (before, after) =>
      run(CommandIDs.insertComparison, { before, after }),
    cancel: id => run(CommandIDs.interrupt, { run: id }),
    refresh: () => link.refresh(),
    insertInstallCell: () => run(CommandIDs.insertInstallCell),
    chooseKernel: () => run('notebook:change-kernel'),
    restartKernel: () => run(CommandIDs.restartKernel),
    newNotebook: () => run(CommandIDs.newNotebook)
  };
}
