/**
 * Sends wheels to a kernel in which a person ran the cell that asks for them.
 *
 * In: a comm, and what the kernel says over it, which is not trusted: it can
 * have the bytes of files that the extension carries, which anybody may fetch,
 * and nothing else. Out: those bytes in pieces, a piece an answer. The kernel
 * asks for the next one, so that two pages that answer do no harm.
 */

import { Kernel } from '@jupyterlab/services';

import { IWheel, loadBytes, loadWheels } from './manifest';

const PIECE_BYTES = 256 * 1024;

/** More than a call of a function takes would be too many arguments. */
const ARGUMENTS = 8192;

/** Ours, and msgspec. */
const MAX_WHEELS = 2;

/** `arrived`: the kernel says that the package is there. The comm is closed where it asks for anything else. */
export function serve(
  comm: Kernel.IComm,
  opened: unknown,
  arrived: () => void
): void {
  const wheels = asked(opened);
  const bytes = new Map<string, Promise<Uint8Array>>();
  const answer = async (data: unknown) => {
    const { sha256, offset } = fieldsOf(data);
    const wheel = (await wheels).find(one => one.sha256 === sha256);
    if (!wheel || !isWithin(offset, wheel)) {
      throw new Error('There is no such piece');
    }
    const loaded = bytes.get(wheel.sha256) ?? loadBytes(wheel);
    bytes.set(wheel.sha256, loaded);
    const piece = (await loaded).subarray(offset, offset + PIECE_BYTES);
    if (!comm.isDisposed) {
      comm.send({ sha256: wheel.sha256, offset, base64: base64(piece) });
    }
  };
  // The kernel's other messages must not wait for this answer.
  const give = (answered: Promise<unknown>) =>
    void answered.catch(() => {
      if (!comm.isDisposed) {
        comm.close();
      }
    });
  comm.onMsg = ({ content }) => give(answer(content.data));
  comm.onClose = ({ content }) => {
    if (fieldsOf(content.data).arrived === true) {
      arrived();
    }
  };
  give(wheels);
}

/** The wheels whose hashes the kernel names. Rejects where there is one that we lack. */
async function asked(opened: unknown): Promise<readonly IWheel[]> {
  const { sha256: hashes } = fieldsOf(opened);
  if (!Array.isArray(hashes) || hashes.length > MAX_WHEELS) {
    throw new Error('No wheels are asked for');
  }
  const wheels = await loadWheels();
  return hashes.map(hash => {
    const wheel = wheels.find(({ sha256 }) => sha256 === hash);
    if (!wheel) {
      throw new Error('There is no such wheel');
    }
    return wheel;
  });
}

function isWithin(offset: unknown, { bytes }: IWheel): offset is number {
  return Number.isSafeInteger(offset) && Number(offset) >= 0
    ? Number(offset) < bytes
    : false;
}

function fieldsOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null
    ? (data as Record<string, unknown>)
    : {};
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let n = 0; n < bytes.length; n += ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(n, n + ARGUMENTS));
  }
  return btoa(text);
}
