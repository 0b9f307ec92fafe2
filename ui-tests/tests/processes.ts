/** The processes of this machine, on which the kernels of the tests run. */

import { readdirSync, readFileSync } from 'fs';

/** The ids of the processes that a process started and that still run. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(id => parentOf(id) === pid);
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf-8');
    // "12 (name with spaces) S 34 ...": state, then parent.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It ended meanwhile.
    return null;
  }
}
