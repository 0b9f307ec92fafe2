/**
 * Why nothing can be verified now: for tooltips, wherever Verify is offered.
 */

import { ITranslator } from '@jupyterlab/translation';

import { KernelState } from '../tokens';

/** Why nothing can be verified now, in words; empty where it can. */
export function whyNotVerify(
  state: KernelState,
  isBusy: boolean,
  translator: ITranslator
): string {
  const trans = translator.load('jupyterlab_kernelgate');
  switch (state.kind) {
    case 'no-notebook':
      return trans.__('Open a notebook first');
    case 'no-kernel':
      return trans.__('This notebook has no kernel');
    case 'dead':
      return trans.__('The kernel is dead; restart it first');
    case 'starting':
      return trans.__('Waits for the kernel to start');
    case 'missing':
      return trans.__('The kernelgate package is missing in this kernel');
    case 'mismatch':
      return trans.__('Package and extension do not fit together');
    case 'ready':
      if (state.handshake.device.kind === 'none') {
        return trans.__('Nothing can be checked in this kernel');
      }
    // falls through
    default:
      return isBusy ? trans.__('Waits for the running cell') : '';
  }
}
