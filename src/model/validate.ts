/**
 * Decides what a report's JSON is, before anything of it is shown.
 *
 * In: data from a notebook or a kernel, both strangers. Out: a report with every
 * default filled in, or why there is none. The data itself is left as it was.
 */
import { followsSchema } from './followsSchema';
import { REPORT_VERSION } from './mimeType';
import type { IReport } from './types';

/** Characters of JSON; the schema's own bounds allow less than half of it. */
const MAX_LENGTH = 2_000_000;

export type ReadReport =
  | { kind: 'report'; report: IReport }
  | { kind: 'unknown version'; version: number }
  | { kind: 'invalid' };

/** The report in `data`, or null if it is none that can be drawn here. */
export function validateReport(data: unknown): IReport | null {
  const read = readReport(data);
  return read.kind === 'report' ? read.report : null;
}

/** What `data` is: a report, one of another version, or neither. */
export function readReport(data: unknown): ReadReport {
  const copy = copied(data);
  if (typeof copy !== 'object' || copy === null) {
    return { kind: 'invalid' };
  }
  const version = (copy as { schema?: unknown }).schema ?? REPORT_VERSION;
  if (version !== REPORT_VERSION) {
    return typeof version === 'number'
      ? { kind: 'unknown version', version }
      : { kind: 'invalid' };
  }
  return followsSchema(copy)
    ? { kind: 'report', report: copy as IReport }
    : { kind: 'invalid' };
}

function copied(data: unknown): unknown {
  try {
    const text = JSON.stringify(data);
    return text.length > MAX_LENGTH ? null : JSON.parse(text);
  } catch {
    return null; // a cycle, or undefined: no JSON at all
  }
}
