import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';

import { IKernelLink } from '../tokens';
import { KernelLink } from './link';
import { answers, ServerWatch } from './reach';

export const kernelLink: JupyterFrontEndPlugin<IKernelLink> = {
  id: 'jupyterlab-kernelgate:kernel-link',
  description: 'Knows the kernel of the notebook in front.',
  autoStart: true,
  requires: [INotebookTracker],
  provides: IKernelLink,
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker) => {
    const { serverSettings } = app.serviceManager;
    const link = new KernelLink(
      new ServerWatch(signal => answers(serverSettings, signal))
    );
    const follow = () => {
      link.session = tracker.currentWidget?.sessionContext ?? null;
    };
    tracker.currentChanged.connect(follow);
    follow();
    return link;
  }
};
