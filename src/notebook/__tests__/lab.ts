/** The commands as a page has them, with a notebook, a kernel that answers what a test says, and runs. */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { SessionContextDialogs } from '@jupyterlab/apputils';
import {
  INotebookTracker,
  Notebook,
  NotebookPanel
} from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { Catalogue } from '../../catalogue/catalogue';
import { FakeSession } from '../../kernel/__tests__/fakeSession';
import { KernelLink } from '../../kernel/link';
import { IOperator, IPreferences, IReportHistory, IRun } from '../../tokens';
import { addCommands } from '../commands';
import { DEFAULTS } from '../preferences';
import { languages } from './languages';
import { ITestCell, openNotebook } from './notebook';

interface ILab {
  commands: CommandRegistry;
  content: Notebook;
  session: FakeSession;
  link: KernelLink;
}

/** The commands, with one notebook in front; null for none. A run's id is its report's. */
export function lab(
  cells: ITestCell[] | null,
  shown: Partial<IRun>[] = [],
  operators?: IOperator[],
  set: Partial<IPreferences> = {}
): ILab {
  const runs = shown.map(run => ({ id: run.report?.run, ...run }));
  const session = new FakeSession();
  const content = openNotebook(cells ?? []);
  const panel = {
    id: 'notebook',
    content,
    sessionContext: session.context
  } as NotebookPanel;
  const link = new KernelLink();
  link.session = cells && session.context;
  const commands = new CommandRegistry();
  addCommands({
    app: {
      commands,
      shell: { activateById: jest.fn() }
    } as unknown as JupyterFrontEnd,
    tracker: {
      currentWidget: cells && panel,
      find: (test: (panel: NotebookPanel) => boolean) =>
        [panel].find(one => test(one))
    } as unknown as INotebookTracker,
    catalogue: new Catalogue(operators),
    link,
    history: {
      runs,
      find: (id: string) => {
        const run = runs.find(one => one.id === id);
        return run ? { notebook: panel, run } : null;
      }
    } as unknown as IReportHistory,
    preferences: () => ({ ...DEFAULTS, ...set }),
    languages: languages(),
    dialogs: new SessionContextDialogs(),
    translator: nullTranslator
  });
  return { commands, content, session, link };
}
