/** The processes of this machine, on which the kernels of the tests run. */

import { readdirSync, readFileSync } from 'fs';

/**
 * The ids of the processes that a process started and that still run, but for what a kernel builds ahead of need:
 * that ends by itself.
 */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(id => parentOf(id) === pid && isAlive(id) && !buildsAhead(id));
}

/** Whether a process runs; one that ended and was not collected does not. */
export function isAlive(pid: number): boolean {
  return !['Z', undefined].includes(statOf(pid)[0]);
}

function buildsAhead(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf-8').includes(
      'build.ahead'
    );
  } catch {
    return false;
  }
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** State and parent of a process; nothing where it is gone. */
function statOf(pid: number): string[] {
  try {
    // "12 (name with spaces) S 34 ..."
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf-8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
