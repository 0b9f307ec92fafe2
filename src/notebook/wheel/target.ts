/**
 * Listens for a cell that asks for the package, in the kernel of each open
 * notebook; so also after the page was reloaded. Nothing is sent by that.
 * What answers is loaded when a kernel asks first.
 */

import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Kernel } from '@jupyterlab/services';

import { IKernelLink } from '../../tokens';

/** As the cell names it. */
const TARGET = 'kernelgate.wheel';

export function offerWheels(
  tracker: INotebookTracker,
  link: IKernelLink
): void {
  const listen = (kernel: Kernel.IKernelConnection | null | undefined) =>
    kernel?.registerCommTarget(TARGET, async (comm, { content }) => {
      const { serve } = await import('./serve');
      serve(comm, content.data, () => {
        // That of another notebook is asked when it comes to the front.
        if (kernelOf(tracker.currentWidget)?.id === kernel.id) {
          link.refresh();
        }
      });
    });
  const follow = (panel: NotebookPanel) => {
    panel.sessionContext.kernelChanged.connect((_, { newValue }) =>
      listen(newValue)
    );
    listen(kernelOf(panel));
  };
  tracker.forEach(follow);
  tracker.widgetAdded.connect((_, panel) => follow(panel));
}

function kernelOf(
  panel: NotebookPanel | null
): Kernel.IKernelConnection | null | undefined {
  return panel?.sessionContext.session?.kernel;
}
