/**
 * Silent requests: one Python expression, evaluated without a trace in the notebook.
 *
 * In: a kernel and an expression. Out: the MIME bundle of its value, or a
 * `RequestError`. Not here: how an expression keeps away from the notebook's
 * folder (`kernel/silent`), and when there is a reason to send one.
 */

import { Kernel } from '@jupyterlab/services';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { silentCall } from './silent';

/** The expression that answers with the handshake. */
export const HANDSHAKE = silentCall('handshake');

/** The expression that hands a cell's text to the package. */
export function rememberCell(cellId: string, source: string): string {
  return silentCall('remember_cell', cellId, source);
}

/** The kernel refused or failed; `ename` and `message` are its own words. */
export class RequestError extends Error {
  constructor(
    readonly ename: string,
    message: string
  ) {
    super(message);
  }
}

const MAX_MESSAGE = 600;

/** Evaluates an expression; resolves when the kernel is done with it. */
export async function evaluate(
  kernel: Kernel.IKernelConnection,
  expression: string
): Promise<ReadonlyPartialJSONObject> {
  const future = kernel.requestExecute(
    {
      code: '',
      silent: true,
      store_history: false,
      allow_stdin: false,
      stop_on_error: false,
      user_expressions: { r: expression }
    },
    true
  );
  const { content } = await future.done;
  if (content.status !== 'ok') {
    throw failure(content);
  }
  const result = content.user_expressions.r;
  if (!isObject(result) || result.status !== 'ok' || !isObject(result.data)) {
    throw failure(result);
  }
  return result.data;
}

function failure(reply: unknown): RequestError {
  const { status, ename, evalue } = isObject(reply)
    ? reply
    : { status: 'error' };
  return new RequestError(
    typeof ename === 'string' ? ename.slice(0, MAX_MESSAGE) : String(status),
    typeof evalue === 'string' ? evalue.slice(0, MAX_MESSAGE) : ''
  );
}

function isObject(value: unknown): value is ReadonlyPartialJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
