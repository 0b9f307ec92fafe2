/**
 * The list of what was sent to the kernel, for the person to read.
 */

import { IKernelRequest } from '../tokens';

const MAX_REQUESTS = 50;

export class Activity {
  /** Newest first. */
  get requests(): readonly IKernelRequest[] {
    return this._requests;
  }

  /** Lists a request; the id is for `settle`. */
  add(text: string, outcome: 'queued' | 'sent'): number {
    const id = ++this._lastId;
    const request = { id, at: new Date(), text, outcome, took_ms: null };
    this._requests = [request, ...this._requests].slice(0, MAX_REQUESTS);
    return id;
  }

  /** Says what became of a request. */
  settle(
    id: number,
    outcome: IKernelRequest['outcome'],
    took_ms: number | null = null
  ): void {
    this._requests = this._requests.map(request =>
      request.id === id ? { ...request, outcome, took_ms } : request
    );
  }

  private _requests: readonly IKernelRequest[] = [];
  private _lastId = 0;
}
