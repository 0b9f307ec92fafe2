/**
 * What a report says of single lines of its program.
 *
 * In: a report, which may be a stranger's, and the text of the program's cell.
 * Out: marks for lines that the text has. Whether the report is of this text is
 * asked before (`notebook/editor/cellMarks`).
 */
import { placeFix, type FixPlace } from './fix';
import type { IReport } from './types';

export interface ILineMark {
  /** From 1. */
  readonly line: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly text: string;
  readonly nextStep: string;
  readonly fix: Extract<FixPlace, { kind: 'placed' }> | null;
}

export function lineMarks(report: IReport, source: string): ILineMark[] {
  const { advice, candidate, failure, verdict } = report;
  const marks: ILineMark[] = advice.map(({ line, text }) => ({
    line: line ?? 0,
    severity: 'info',
    text,
    nextStep: '',
    fix: null
  }));
  const costs = [
    ...(report.profile?.lines ?? []),
    ...(report.device_code?.lines ?? [])
  ];
  for (const { line, mark, advice: help } of costs) {
    if (mark !== '') {
      marks.push({
        line: line ?? 0,
        severity: 'info',
        text: mark,
        nextStep: help,
        fix: null
      });
    }
  }
  const where = failure?.where;
  // A place may also be one of the reference's.
  if (failure && where?.label === candidate.label) {
    const fix = placeFix(source, failure);
    marks.unshift({
      line: where.line ?? 0,
      severity: verdict?.outcome === 'fail' ? 'error' : 'warning',
      text: failure.what,
      nextStep: failure.next_step,
      fix: fix?.kind === 'placed' ? fix : null
    });
  }
  const count = source.split('\n').length;
  return marks.filter(({ line }) => line >= 1 && line <= count);
}
