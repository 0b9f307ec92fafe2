/** What a kernel answered to the handshake, or why it is not known. */

import { KernelState } from '../tokens';
import { ANSWER_LOST, RequestError } from './request';

/** What the kernel answered in this turn, or why it did not. */
export type Knowledge = Extract<
  KernelState,
  {
    kind:
      | 'unasked'
      | 'asking'
      | 'ready'
      | 'missing'
      | 'mismatch'
      | 'failed'
      | 'answered-elsewhere';
  }
>;

export function whyUnknown({ ename, message }: RequestError): Knowledge {
  switch (ename) {
    case 'ModuleNotFoundError':
      return { kind: 'missing' };
    case 'AttributeError':
      // Older than the handshake itself.
      return { kind: 'mismatch', version: null, outdated: 'package' };
    case ANSWER_LOST:
      return { kind: 'answered-elsewhere' };
    default:
      return { kind: 'failed', message: `${ename}: ${message}` };
  }
}
