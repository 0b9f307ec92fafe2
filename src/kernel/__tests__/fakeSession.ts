/**
 * A session whose kernel answers when the test says so.
 */

import { ISessionContext } from '@jupyterlab/apputils';
import { Kernel } from '@jupyterlab/services';
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

export class FakeSession {
  private static _count = 0;

  readonly kernelChanged = new Signal<FakeSession, unknown>(this);
  readonly statusChanged = new Signal<FakeSession, Kernel.Status>(this);
  readonly connectionStatusChanged = new Signal<FakeSession, unknown>(this);
  readonly iopubMessage = new Signal<FakeSession, unknown>(this);
  readonly disposed = new Signal<FakeSession, void>(this);
  readonly isDisposed = false;
  readonly isReady = true;
  readonly ready = Promise.resolve();
  kernelDisplayStatus = 'idle';
  kernelDisplayName = 'Python 3 (ipykernel)';

  /** The expressions that reached the kernel, and how to answer each. */
  readonly asked: {
    expression: string;
    content: { code: string; silent: boolean; store_history: boolean };
    reply: PromiseDelegate<{ content: object }>;
    /** By it, the kernel says what goes on. */
    future: { onIOPub: (msg: { content: object }) => void };
  }[] = [];

  /** The answer to what a kernel is. */
  readonly presence = new PromiseDelegate<undefined>();

  hasNoKernel = false;
  readonly specsManager = {
    specs: {
      kernelspecs: {
        python3: { language: 'python' },
        ir: { language: 'R' }
      }
    }
  };

  readonly kernel = {
    name: 'python3',
    id: `kernel-${FakeSession._count++}`,
    status: 'idle' as Kernel.Status,
    connectionStatus: 'connected' as Kernel.ConnectionStatus,
    interrupt: jest.fn(() => Promise.resolve()),
    requestKernelInfo: jest.fn(() => this.presence.promise),
    requestExecute: (content: {
      code: string;
      silent: boolean;
      store_history: boolean;
      user_expressions: { r: string };
    }) => {
      const reply = new PromiseDelegate<{ content: object }>();
      const expression = content.user_expressions.r;
      const future = {
        done: reply.promise,
        dispose: () => reply.reject(new Error('Canceled')),
        onIOPub: (_: { content: object }): void => undefined
      };
      this.asked.push({ expression, content, reply, future });
      return future;
    }
  };

  session: { kernel: FakeSession['kernel'] } | null = { kernel: this.kernel };

  get context(): ISessionContext {
    return this as unknown as ISessionContext;
  }

  setStatus(status: Kernel.Status): void {
    this.kernel.status = status;
    this.statusChanged.emit(status);
  }

  /** Answers the n-th request with a value of `application/json`. */
  async answer(n: number, json: unknown): Promise<void> {
    await this.reply(n, { status: 'ok', data: { 'application/json': json } });
  }

  /** Fails the n-th request as Python would. */
  async raise(n: number, ename: string, evalue = ''): Promise<void> {
    await this.reply(n, { status: 'error', ename, evalue, traceback: [] });
  }

  async reply(n: number, result: object): Promise<void> {
    this.asked[n]!.reply.resolve({
      content: { status: 'ok', user_expressions: { r: result } }
    });
    await settled();
  }
}

/** Lets the promises that are ready run. */
export async function settled(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 0));
}

export const H200 = {
  protocol: 1,
  version: '0.1.0',
  python: '3.11.7',
  torch: '2.13.0',
  device: {
    kind: 'cuda',
    name: 'NVIDIA H200',
    memory_total_bytes: 141e9,
    memory_used_bytes: 19.4e9,
    driver: '580.65',
    why: null
  },
  compiler: 'g++ 12.2.0',
  nvcc: '13.0',
  operators: ['leakyrelu', 'gemm_scale_leakyrelu']
};

export const EMULATED = {
  ...H200,
  device: {
    kind: 'emulated',
    name: 'emulation on the CPU',
    memory_total_bytes: null,
    memory_used_bytes: null,
    driver: null,
    why: 'torch sees no CUDA device'
  },
  nvcc: null
};
