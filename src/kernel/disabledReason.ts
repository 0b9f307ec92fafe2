/**
 * Why nothing can be verified or timed now: for tooltips, wherever it is offered.
 */

import { ITranslator } from '@jupyterlab/translation';

import { KernelState } from '../tokens';

/** Why nothing can be verified now, in words; empty where it can. */
export function verifyDisabledReason(
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
    case 'unreachable':
      return trans.__('The kernel’s server does not answer');
    case 'other-language':
      return trans.__(
        'This kernel runs %1; choose one that runs Python',
        state.language
      );
    case 'asking':
      return trans.__('Waits for the kernel to answer');
    case 'missing':
      return trans.__('The kernelgate package is missing in this kernel');
    case 'mismatch':
      return trans.__('Package and extension do not fit together');
    case 'ready':
      if (state.handshake.torch === null) {
        return trans.__('PyTorch is not installed in this kernel');
      }
      if (state.handshake.device.kind === 'none') {
        return trans.__('Nothing can be checked in this kernel');
      }
    // falls through
    default:
      return isBusy ? trans.__('Waits for the running cell') : '';
  }
}

/** Why no program can be inserted now, in words; empty where one can. */
export function insertDisabledReason(
  state: KernelState,
  translator: ITranslator
): string {
  const { kind } = state;
  return kind === 'no-notebook' || kind === 'other-language'
    ? verifyDisabledReason(state, false, translator)
    : '';
}

/** Why nothing can be timed now, in words; empty where it can. */
export function timeDisabledReason(
  state: KernelState,
  isBusy: boolean,
  translator: ITranslator
): string {
  const trans = translator.load('jupyterlab_kernelgate');
  const hasNoGpu =
    state.kind === 'ready' && state.handshake.device.kind === 'emulated';
  return (
    verifyDisabledReason(state, isBusy, translator) ||
    (hasNoGpu ? trans.__('Needs a GPU') : '')
  );
}
