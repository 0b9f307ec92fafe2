/**
 * The runs of a notebook as a file.
 *
 * In: runs with their numbers. Out: JSON with the whole reports, or a table of
 * their figures, as the reports write them. Not here: how a file is saved.
 */

import { IRun } from '../../tokens';
import { reached } from '../../ui/reached';

export function asJson(runs: readonly IRun[]): string {
  const all = runs.map(({ number, report }) => ({ number, report }));
  return `${JSON.stringify(all, null, 2)}\n`;
}

const COLUMNS = [
  'number',
  'run',
  'created',
  'problem',
  'shape',
  'dtype',
  'device',
  'verb',
  'outcome',
  'verdict',
  'time',
  'time_s',
  'against_reference',
  'of_limit',
  'source_sha256'
];

export function asCsv(runs: readonly IRun[]): string {
  const rows = runs.map(({ number, report }) => {
    const { time, seconds, against, share } = reached(report);
    const { problem, device, candidate, verdict } = report;
    return [
      number,
      report.run,
      report.created,
      problem.id,
      problem.shape,
      problem.dtype,
      device.name,
      report.verb,
      verdict?.outcome ?? '',
      verdict?.sentence ?? '',
      time,
      seconds ?? '',
      against,
      share,
      candidate.source_sha256
    ];
  });
  return [COLUMNS, ...rows]
    .map(row => `${row.map(cell).join(',')}\r\n`)
    .join('');
}

/** A text that a spreadsheet would take for a formula is kept a text. */
function cell(value: string | number): string {
  if (typeof value === 'number') {
    return String(value);
  }
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** Has the browser save a text as a file. */
export function save(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
