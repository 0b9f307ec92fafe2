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

/** The expression that hands a cell's text to the package; `role`: that others need its names. */
export function rememberCell(
  cellId: string,
  source: string,
  role?: 'needed'
): string {
  return silentCall('remember_cell', cellId, source, ...(role ? [role] : []));
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

/** What a request fails with whose answer the server gave to another page. */
export const ANSWER_LOST = 'AnswerLost';

/** A kernel answers before it says that it is idle; the two come by different ways. */
const LOST_MS = 5000;

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
  const { content } = await answerOf(future);
  if (content.status !== 'ok') {
    throw failure(content);
  }
  const result = content.user_expressions.r;
  if (!isObject(result) || result.status !== 'ok' || !isObject(result.data)) {
    throw failure(result);
  }
  return result.data;
}

type Future = ReturnType<Kernel.IKernelConnection['requestExecute']>;

/**
 * The answer to a request. Some servers give all pages of a kernel one address:
 * the answer then comes to the page that was opened last, and only there.
 */
async function answerOf(future: Future): Promise<Awaited<Future['done']>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lost = new Promise<never>((_, reject) => {
    future.onIOPub = ({ content }) => {
      if ('execution_state' in content && content.execution_state === 'idle') {
        timer = setTimeout(() => {
          reject(new RequestError(ANSWER_LOST, ''));
          future.dispose();
        }, LOST_MS);
      }
    };
  });
  try {
    return await Promise.race([future.done, lost]);
  } finally {
    clearTimeout(timer);
  }
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
