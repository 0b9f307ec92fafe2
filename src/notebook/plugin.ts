import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ICommandPalette,
  ISessionContextDialogs,
  SessionContextDialogs
} from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';

import { CommandIDs } from '../tokens/commandIds';
import { reportBus, ReportOutput } from '../model';
import {
  ICatalogue,
  IFoundRun,
  IKernelLink,
  IPreferenceStore,
  IPrograms,
  IReportHistory
} from '../tokens';
import { followFile, followRuns } from './brought';
import { ICommandContext, LoadActions } from './commandContext';
import { addCommands } from './commands';
import { loadWhenNear } from './insert/near';
import { LazyPrograms } from './programs/lazy';
import { PreferenceStore } from './preferences';
import type { HeadInSight, RunNotifier } from './reports/notifier';
import type { RunActions } from './reports/runActions';
import { ReportHistory } from './reports/history';
import { offerWheels } from './wheel/target';

/** After Lab's own cards. */
const LAUNCHER_RANK = 100;

export const reportHistory: JupyterFrontEndPlugin<IReportHistory> = {
  id: 'jupyterlab-kernelgate:history',
  description: 'Keeps the runs of the open notebooks.',
  autoStart: true,
  requires: [INotebookTracker, IKernelLink, ICatalogue],
  provides: IReportHistory,
  activate: (
    _,
    tracker: INotebookTracker,
    link: IKernelLink,
    catalogue: ICatalogue
  ) => new ReportHistory(tracker, link, catalogue)
};

/** Of the schema. */
const SETTINGS = 'jupyterlab-kernelgate:plugin';

export const preferences: JupyterFrontEndPlugin<IPreferenceStore> = {
  id: 'jupyterlab-kernelgate:preferences',
  description: 'Knows what a person has set.',
  autoStart: true,
  optional: [ISettingRegistry],
  provides: IPreferenceStore,
  activate: (_, settings: ISettingRegistry | null) =>
    new PreferenceStore(settings, SETTINGS)
};

/** Its id is that of the schema, which puts its commands into the toolbar and the menu. */
export const commands: JupyterFrontEndPlugin<IPrograms> = {
  id: SETTINGS,
  description: 'Commands that insert, verify and find programs in a notebook.',
  autoStart: true,
  requires: [
    INotebookTracker,
    ICatalogue,
    IKernelLink,
    IReportHistory,
    IPreferenceStore
  ],
  optional: [
    ITranslator,
    ICommandPalette,
    ILauncher,
    ISessionContextDialogs,
    IEditorLanguageRegistry
  ],
  provides: IPrograms,
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    catalogue: ICatalogue,
    link: IKernelLink,
    history: IReportHistory,
    store: IPreferenceStore,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    dialogs: ISessionContextDialogs | null,
    languages: IEditorLanguageRegistry | null
  ) => {
    const context: ICommandContext = {
      app,
      tracker,
      catalogue,
      link,
      history,
      preferences: () => store.current,
      languages,
      translator: translator ?? nullTranslator,
      dialogs:
        dialogs ??
        new SessionContextDialogs({ translator: translator ?? nullTranslator })
    };
    followRuns();
    tracker.forEach(followFile);
    tracker.widgetAdded.connect((_, panel) => followFile(panel));
    const load = addCommands(context);
    notifyOfChanges(context);
    offerToReports(history, load);
    notifyOfRuns(context, load);
    offerWheels(tracker, link);
    loadWhenNear(context);
    if (palette) {
      addToPalette(palette, context);
    }
    for (const command of [CommandIDs.newNotebook, CommandIDs.pasteAndVerify]) {
      launcher?.add({ command, rank: LAUNCHER_RANK });
    }
    return new LazyPrograms(context);
  }
};

/** These are enabled or disabled by the notebook, its kernel and its runs. */
function notifyOfChanges({
  app: { commands },
  tracker,
  link,
  history
}: ICommandContext): void {
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
}

/** What a report may ask for, in the notebook that holds it. */
function offerToReports(history: IReportHistory, load: LoadActions): void {
  const on =
    (act: (actions: RunActions, found: IFoundRun) => unknown) =>
    async (output: ReportOutput): Promise<void> => {
      const found = history.holding(output);
      if (found) {
        await act(await load(), found);
      }
    };
  reportBus.answer(output => history.stateOf(output));
  reportBus.offer({
    interrupt: on((actions, { notebook }) => actions.interrupt(notebook)),
    revealCell: (output, cellId, line) =>
      on((actions, { notebook }) =>
        actions.revealCell(notebook, cellId, line ?? undefined)
      )(output),
    insertFix: on((actions, found) => actions.insertFix(found)),
    insertFailingCase: on((actions, found) => actions.insertFailingCase(found)),
    runAgain: on((actions, found) => actions.runAgain(found)),
    restartKernel: on((actions, found) => actions.restartKernel(found.notebook))
  });
}

/** What follows a run, to its report and with notifications, is loaded with the first run. */
function notifyOfRuns(context: ICommandContext, load: LoadActions): void {
  const { history } = context;
  let followers: Promise<[HeadInSight, RunNotifier]> | undefined;
  history.updated.connect((_, notebook) => {
    const isOne = history.runsOf(notebook).some(run => run.isRunning);
    if (isOne) {
      followers ??= loadFollowers(context, load);
    }
    void followers?.then(all =>
      all.forEach(one => one.update(notebook, history.runsOf(notebook)))
    );
  });
}

async function loadFollowers(
  { preferences, tracker, translator }: ICommandContext,
  load: LoadActions
): Promise<[HeadInSight, RunNotifier]> {
  const { CallBack, HeadInSight, RunNotifier } =
    await import('./reports/notifier');
  const notifier = new RunNotifier({
    isWanted: () => preferences().notify !== 'never',
    views: ({ context }) => tracker.filter(one => one.context === context),
    callBack: new CallBack(() => preferences().whenEnded),
    cancel: async ({ notebook }) => (await load()).interrupt(notebook),
    show: async found => (await load()).reveal(found),
    trans: translator.load('jupyterlab_kernelgate')
  });
  return [new HeadInSight(), notifier];
}

function addToPalette(
  palette: ICommandPalette,
  { catalogue, translator }: ICommandContext
): void {
  const trans = translator.load('jupyterlab_kernelgate');
  // The palette looks for a person's words here, too.
  const category = trans.__('KernelGate: CUDA kernels for the GPU');
  let inserts: IDisposable[] = [];
  const offerOperators = () => {
    inserts.forEach(item => item.dispose());
    inserts = catalogue.operators
      .filter(({ loadProgram }) => loadProgram)
      .map(({ id }) =>
        palette.addItem({
          command: CommandIDs.insert,
          args: { operator: id, isPalette: true },
          category
        })
      );
  };
  offerOperators();
  catalogue.changed.connect(offerOperators);
  palette.addItem({
    command: CommandIDs.verify,
    args: { thorough: true },
    category
  });
  for (const command of [
    CommandIDs.verify,
    CommandIDs.benchmark,
    CommandIDs.profile,
    CommandIDs.interrupt,
    CommandIDs.insertInstallCell,
    CommandIDs.newNotebook,
    CommandIDs.pasteAndVerify,
    CommandIDs.copyForModel,
    CommandIDs.showPanel
  ]) {
    palette.addItem({ command, args: { isPalette: true }, category });
  }
}
