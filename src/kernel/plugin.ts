import { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';

import { IKernelLink } from '../tokens';
import { KernelLink } from './link';

export const kernelLink: JupyterFrontEndPlugin<IKernelLink> = {
  id: 'jupyterlab-kernelgate:kernel-link',
  description: 'Knows the kernel of the notebook in front.',
  autoStart: true,
  requires: [INotebookTracker],
  provides: IKernelLink,
  activate: (_, tracker: INotebookTracker) => {
    const link = new KernelLink();
    const follow = () => {
      link.session = tracker.currentWidget?.sessionContext ?? null;
    };
    tracker.currentChanged.connect(follow);
    follow();
    return link;
  }
};
