/**
 * Whether the server of the kernels answers. Behind a gateway, the page's own
 * connections stay open where the gateway is gone, and a run would be drawn as
 * going on for good.
 *
 * In: a question that the Jupyter server passes on, and whether there is a
 * reason to ask. Out: one flag. Nothing is sent to a kernel.
 */

import { ServerConnection } from '@jupyterlab/services';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

const ASK_MS = 2000;

/** One failure may be an accident: it is looked at again soon. */
const AGAIN_MS = 700;

const PATIENCE_MS = 4000;

export class ServerWatch implements IDisposable {
  constructor(private _answers: (signal: AbortSignal) => Promise<boolean>) {}

  get isReachable(): boolean {
    return this._isReachable;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether anybody waits for news of a kernel. */
  set isWanted(value: boolean) {
    if (value !== this._isWanted) {
      this._isWanted = value;
      this._soon(ASK_MS);
    }
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._timer);
    Signal.clearData(this);
  }

  private _soon(delay: number): void {
    // Once it is gone, somebody has to find it back.
    const isWanted = this._isWanted || !this._isReachable;
    if (!isWanted || this._isAsking || this._isDisposed) {
      return;
    }
    clearTimeout(this._timer);
    this._timer = setTimeout(() => void this._ask(), delay);
  }

  private async _ask(): Promise<void> {
    this._isAsking = true;
    const abort = new AbortController();
    const patience = setTimeout(() => abort.abort(), PATIENCE_MS);
    const isThere = await this._answers(abort.signal);
    clearTimeout(patience);
    this._isAsking = false;
    if (this._isDisposed) {
      return;
    }
    this._failures = isThere ? 0 : this._failures + 1;
    const isReachable = this._failures < 2;
    if (isReachable !== this._isReachable) {
      this._isReachable = isReachable;
      this._changed.emit();
    }
    this._soon(this._failures === 1 ? AGAIN_MS : ASK_MS);
  }

  private _isReachable = true;
  private _isWanted = false;
  private _isAsking = false;
  private _isDisposed = false;
  private _failures = 0;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _changed = new Signal<this, void>(this);
}

/** Whether the server can tell of its kernels; a refusal is an answer, too. */
export async function answers(
  settings: ServerConnection.ISettings,
  signal: AbortSignal
): Promise<boolean> {
  // A server that is stopped when nobody uses it does not count these.
  const path = 'api/kernels?no_track_activity=1';
  const { href } = new URL(path, settings.baseUrl);
  try {
    const reply = await ServerConnection.makeRequest(
      href,
      { signal },
      settings
    );
    return reply.status < 500;
  } catch {
    return false;
  }
}
