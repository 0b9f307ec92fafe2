/**
 * Asks whether a kernel is there, where it is connected and says nothing.
 *
 * In: such a kernel. Out: that it has answered. A kernel that was killed in
 * mid-run needs this. Its server starts it again and still takes it for busy, so
 * that the page is connected before the new one is there, and what that says at
 * its start is lost. Lab calls its status unknown until a cell runs.
 */

import { Kernel } from '@jupyterlab/services';

import { Activity } from './activity';

/** A kernel that starts is given this time first. */
const FIRST_MS = 2000;

const LONGEST_MS = 30_000;

export class PresenceQuestion {
  constructor(
    private _activity: Activity,
    private _onAnswer: () => void
  ) {}

  /** The kernel to ask, as soon as it is connected; null for none. */
  set kernel(kernel: Kernel.IKernelConnection | null) {
    if (kernel === this._kernel) {
      return;
    }
    this._kernel = kernel;
    clearTimeout(this._timer);
    if (kernel) {
      this._askIn(kernel, FIRST_MS);
    }
  }

  private _askIn(kernel: Kernel.IKernelConnection, delay_ms: number): void {
    this._timer = setTimeout(() => {
      this._askIn(kernel, Math.min(2 * delay_ms, LONGEST_MS));
      // One that a person restarts may be heard once more before it ends.
      if (
        kernel.connectionStatus === 'connected' &&
        kernel.status !== 'restarting'
      ) {
        void this._ask(kernel);
      }
    }, delay_ms);
  }

  private async _ask(kernel: Kernel.IKernelConnection): Promise<void> {
    const request = this._activity.add('kernel_info', 'sent');
    const sent_ms = performance.now();
    try {
      await kernel.requestKernelInfo();
    } catch {
      this._activity.settle(request, 'failed');
      return;
    }
    this._activity.settle(request, 'done', performance.now() - sent_ms);
    if (kernel === this._kernel) {
      this._onAnswer();
    }
  }

  private _kernel: Kernel.IKernelConnection | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
