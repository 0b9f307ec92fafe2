/**
 * The link to the kernel of the notebook in front.
 *
 * In: that notebook's session, and whether anybody looks. Out: `KernelState`,
 * and the list of what was sent. A question is held here while a cell runs, so
 * that it can still be dropped; an answer that a restart or another notebook
 * has overtaken is not heard.
 * Not here: what an answer must look like (`kernel/handshake`).
 */

import { ISessionContext } from '@jupyterlab/apputils';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { IKernelLink, IKernelRequest, KernelState } from '../tokens';
import { Activity } from './activity';
import { readAnswer } from './handshake';
import { Knowledge, whyUnknown } from './knowledge';
import { PresenceQuestion } from './presenceQuestion';
import { ServerWatch } from './reach';
import {
  ANSWER_LOST,
  evaluate,
  HANDSHAKE,
  rememberCell,
  RequestError
} from './request';

/** A larger cell is no program, and too large a message for a kernel. */
const MAX_SOURCE = 1_000_000;

/** A notebook without a kernel, and none chosen, is given this time to get one. */
const SETTLE_MS = 3000;

/** Lab does not say when it has given up on a kernel: it is looked at as often. */
const LOOK_MS = 1000;

/** Of kernels that take Python, as their specifications name them; Sage's is IPython's. */
const LANGUAGES = ['python', 'sage'];

/** The handshake as a person would write it. */
const HANDSHAKE_TEXT = 'kernelgate.handshake()';

export class KernelLink implements IKernelLink, IDisposable {
  constructor(private _server: ServerWatch | null = null) {
    _server?.changed.connect(this._update, this);
  }

  get state(): KernelState {
    return this._state;
  }

  get isBusy(): boolean {
    return this._isBusy;
  }

  get isReachable(): boolean {
    return this._server?.isReachable ?? true;
  }

  get requests(): readonly IKernelRequest[] {
    return this._activity.requests;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get standby(): boolean {
    return this._standby;
  }
  set standby(value: boolean) {
    this._standby = value;
    if (value && this._wanted === 'sight') {
      this._forget();
    }
    this._update();
  }

  /** The session of the notebook in front. */
  get session(): ISessionContext | null {
    return this._session;
  }
  set session(session: ISessionContext | null) {
    if (session === this._session) {
      return;
    }
    if (this._session) {
      Signal.disconnectBetween(this._session, this);
    }
    this._session = session;
    if (session) {
      session.kernelChanged.connect(this._onKernelChanged, this);
      session.statusChanged.connect(this._onStatusChanged, this);
      session.connectionStatusChanged.connect(this._update, this);
      session.iopubMessage.connect(this._onIOPub, this);
      session.disposed.connect(this._onSessionDisposed, this);
    }
    this._onKernelChanged();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._turn++;
    clearTimeout(this._timer);
    this._presence.kernel = null;
    this._server?.dispose();
    Signal.clearData(this);
  }

  refresh(): void {
    this._forget();
    this._wanted = 'person';
    this._update();
  }

  async rememberCell(
    context: ISessionContext,
    cellId: string,
    source: string,
    role?: 'needed'
  ): Promise<void> {
    const kernel = context.session?.kernel;
    if (!kernel) {
      throw new RequestError('NoKernel', '');
    }
    if (source.length > MAX_SOURCE) {
      throw new RequestError('TooLarge', '');
    }
    const request = this._activity.add('kernelgate.remember_cell(…)', 'sent');
    try {
      await this._send(request, kernel, rememberCell(cellId, source, role));
    } catch (error) {
      // It was done. A run that misses the text says so.
      if ((error as RequestError).ename !== ANSWER_LOST) {
        throw error;
      }
    }
  }

  /** Another kernel, or none, or the same one after a restart. */
  private _onKernelChanged(): void {
    const kernel = this._kernel;
    if (kernel?.id !== this._kernelId) {
      this._kernelId = kernel?.id;
      this._restarted = false;
    }
    this._isBusy = kernel?.status === 'busy';
    this._since = performance.now();
    this._newTurn();
    // Another notebook was in front meanwhile; it is asked all the same.
    const known = kernel && this._ready.get(kernel.id);
    if (known) {
      this._knowledge = known;
      this._update();
    }
  }

  private _onStatusChanged(_: ISessionContext, status: Kernel.Status): void {
    switch (status) {
      case 'restarting':
      case 'autorestarting':
        this._restarted = true;
        this._isBusy = false;
        this._ready.delete(this._kernel?.id ?? '');
        this._newTurn();
        return;
      case 'busy':
        // Our own requests last milliseconds: they are not worth a flicker.
        this._isBusy ||= this._inFlight === 0;
        break;
      default:
        this._isBusy = false;
    }
    this._update();
  }

  /** Silent requests publish no input: this is a cell, of any client. */
  private _onIOPub(_: ISessionContext, msg: KernelMessage.IMessage): void {
    if (msg.header.msg_type === 'execute_input') {
      this._restarted = false;
      this._isBusy = true;
      this._update();
    }
  }

  private _onSessionDisposed(): void {
    this.session = null;
  }

  private _newTurn(): void {
    this._turn++;
    this._forget();
    this._isAsked = false;
    this._isThere = false;
    this._knowledge = { kind: 'unasked' };
    this._update();
  }

  /** Drops a question that was not sent yet. */
  private _forget(): void {
    if (this._queued !== null) {
      this._activity.settle(this._queued, 'dropped');
    }
    this._queued = null;
    this._wanted = null;
  }

  private get _kernel(): Kernel.IKernelConnection | null {
    return this._session?.session?.kernel ?? null;
  }

  /** Asks if there is a reason to, and the kernel is free; then says what is known. */
  private _update(): void {
    const reach = this._reach();
    if (!this._standby && this._wanted === null && !this._isAsked) {
      this._wanted = 'sight';
    }
    if (reach === null && this._wanted !== null) {
      if (this._isBusy) {
        this._queued ??= this._activity.add(HANDSHAKE_TEXT, 'queued');
      } else if (this._kernel) {
        void this._ask(this._kernel);
      }
    }
    this._state = reach ?? this._known();
    if (this._server) {
      this._server.isWanted =
        this._kernel !== null && (!this._standby || this._isBusy);
    }
    clearTimeout(this._timer);
    if (this._state.kind === 'starting' && !this._kernel) {
      this._timer = setTimeout(() => this._update(), LOOK_MS);
    }
    const isAwaited = this._state.kind === 'starting' && this._wanted !== null;
    this._presence.kernel = isAwaited ? this._kernel : null;
    this._changed.emit();
  }

  /** Why the kernel cannot be asked; null where it can. */
  private _reach(): KernelState | null {
    const session = this._session;
    if (!session || session.isDisposed) {
      return { kind: 'no-notebook' };
    }
    const kernel = this._kernel;
    if (!kernel) {
      const { kernelDisplayStatus: status, hasNoKernel } = session;
      const isNew = performance.now() - this._since < SETTLE_MS;
      // Lab calls a notebook initializing for good where no kernel was chosen, or none could be started.
      return (status === 'starting' || status === 'initializing') &&
        (!hasNoKernel || isNew)
        ? { kind: 'starting' }
        : { kind: 'no-kernel' };
    }
    if (!this.isReachable) {
      return { kind: 'unreachable' };
    }
    const language = languageOf(session, kernel);
    if (language !== undefined && !LANGUAGES.includes(language.toLowerCase())) {
      return { kind: 'other-language', language };
    }
    if (kernel.status === 'dead') {
      return { kind: 'dead' };
    }
    const answers =
      this._isThere || kernel.status === 'idle' || kernel.status === 'busy';
    return answers && kernel.connectionStatus === 'connected'
      ? null
      : { kind: 'starting' };
  }

  private _known(): KernelState {
    const known = this._knowledge;
    if (this._queued !== null && known.kind !== 'ready') {
      return { kind: 'waiting' };
    }
    return known.kind === 'ready'
      ? { ...known, restarted: this._restarted }
      : known;
  }

  private async _ask(kernel: Kernel.IKernelConnection): Promise<void> {
    const turn = ++this._turn;
    const request = this._queued ?? this._activity.add(HANDSHAKE_TEXT, 'sent');
    this._activity.settle(request, 'sent');
    this._queued = null;
    this._wanted = null;
    this._isAsked = true;
    if (this._knowledge.kind !== 'ready') {
      this._knowledge = { kind: 'asking' };
    }
    const knowledge = await this._handshake(request, kernel);
    if (this._isDisposed || turn !== this._turn) {
      return;
    }
    this._knowledge = knowledge;
    if (knowledge.kind === 'ready') {
      this._ready.set(kernel.id, knowledge);
    } else {
      this._ready.delete(kernel.id);
    }
    this._update();
  }

  private async _handshake(
    request: number,
    kernel: Kernel.IKernelConnection
  ): Promise<Knowledge> {
    try {
      const bundle = await this._send(request, kernel, HANDSHAKE);
      const answer = readAnswer(bundle['application/json']);
      switch (answer?.kind) {
        case 'handshake':
          return { ...answer, kind: 'ready', restarted: this._restarted };
        case 'mismatch':
          return answer;
        default:
          return { kind: 'failed', message: '' };
      }
    } catch (error) {
      return whyUnknown(error as RequestError);
    }
  }

  /** Sends, and keeps the activity list true whatever happens. */
  private async _send(
    request: number,
    kernel: Kernel.IKernelConnection,
    expression: string
  ): ReturnType<typeof evaluate> {
    const sent_ms = performance.now();
    this._inFlight++;
    this._changed.emit();
    try {
      const bundle = await evaluate(kernel, expression);
      this._activity.settle(request, 'done', performance.now() - sent_ms);
      return bundle;
    } catch (error) {
      this._activity.settle(request, 'failed', performance.now() - sent_ms);
      throw error instanceof RequestError
        ? error
        : // The future was cancelled: the kernel restarted or is gone.
          new RequestError('Cancelled', String(error));
    } finally {
      this._inFlight--;
      if (!this._isDisposed) {
        this._changed.emit();
      }
    }
  }

  private _session: ISessionContext | null = null;
  private _state: KernelState = { kind: 'no-notebook' };
  private _knowledge: Knowledge = { kind: 'unasked' };
  /** What kernels answered last, by their ids: notebooks come and go. */
  private _ready = new Map<string, Knowledge>();
  private _isAsked = false;
  private _activity = new Activity();
  private _changed = new Signal<this, void>(this);
  private _presence = new PresenceQuestion(this._activity, () => {
    this._isThere = true;
    this._update();
  });
  /** Whether the kernel has answered, whatever its status. */
  private _isThere = false;
  /** Counts kernels, restarts and questions: an answer to an older one is late. */
  private _turn = 0;
  private _inFlight = 0;
  /** Why a question is to be asked: the panel is in sight, or a person asked. */
  private _wanted: 'sight' | 'person' | null = null;
  /** The listed request that waits for the kernel to be free. */
  private _queued: number | null = null;
  private _isBusy = false;
  private _kernelId: string | undefined;
  /** When the kernel, or that there is none, was last heard of. */
  private _since = 0;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _restarted = false;
  private _standby = true;
  private _isDisposed = false;
}

/** The language of a kernel, by its specification; undefined where there is none to read. */
function languageOf(
  { specsManager }: ISessionContext,
  { name }: Kernel.IKernelConnection
): string | undefined {
  return specsManager.specs?.kernelspecs[name]?.language;
}
