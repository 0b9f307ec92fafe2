/**
 * The cell by which a kernel without network gets the package from the page.
 *
 * In: the wheels that there are. Out: the text of a cell that says in its first
 * lines what will happen, and names the bytes that it takes. It is a program,
 * and reads the same in every language. `cell.py` holds what it does.
 */

import body from '../../../src/notebook/wheel/cell.py';
import type { IWheel } from './manifest';

/** Throws where the package itself is not among the wheels. */
export function wheelCell(wheels: readonly IWheel[]): string {
  const own = wheels.find(({ name }) => name === 'kernelgate');
  if (!own) {
    throw new Error('The extension was built without the package');
  }
  const msgspec = wheels.filter(({ name }) => name === 'msgspec');
  return [
    '# KernelGate: run this cell where the kernel lacks the package.',
    '# The page then sends to the kernel:',
    `#   kernelgate ${own.version}: ${own.file}, ${kilobytes(own)} kB`,
    ...msgspecLines(msgspec),
    '# The kernel takes nothing but bytes of the length and the SHA-256',
    '# that stand here. It unpacks them into a temporary folder, which',
    '# it adds at the end of sys.path, and which goes with the kernel.',
    '# It installs and changes nothing else.',
    '_kernelgate = {',
    taken(own.file, own),
    ...msgspec.map(wheel => taken(wheel.abi ?? wheel.file, wheel)),
    '}',
    '',
    '',
    body.trimEnd()
  ].join('\n');
}

function msgspecLines(wheels: readonly IWheel[]): string[] {
  const [first] = wheels;
  if (!first) {
    return ['#   and no msgspec, which has to be in the kernel'];
  }
  const most = Math.max(...wheels.map(kilobytes));
  return [
    `#   msgspec ${first.version}, if it is lacking: the one wheel below that is`,
    `#   for this kernel's Python, ${most} kB at most`
  ];
}

function taken(key: string, { bytes, sha256 }: IWheel): string {
  return `    "${key}": ("${sha256}", ${bytes}),`;
}

function kilobytes({ bytes }: IWheel): number {
  return Math.ceil(bytes / 1000);
}
