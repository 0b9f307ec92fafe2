/**
 * The case in which a result is wrong, where the kernel can draw it again.
 *
 * In: a report. Out: that case, and how to draw it. A certain failure, one with
 * a fix, has none: the fix is the next step there.
 */
import type { ICase, IRedraw, IReport } from './types';

export interface IFailingCase {
  readonly case: ICase;
  readonly redraw: IRedraw;
}

/** Null where the failure is not a wrong value, or the report says too little about it. */
export function failingCase(report: IReport): IFailingCase | null {
  const { failure, cases, seed } = report;
  const found = cases.find(({ name }) => name === failure?.case);
  if (failure?.fix !== null || !found?.redraw || !/^\d{1,19}$/.test(seed)) {
    return null;
  }
  // Beyond that, JSON has changed it on its way here.
  const isExact = Object.values(found.redraw.sizes).every(Number.isSafeInteger);
  return isExact ? { case: found, redraw: found.redraw } : null;
}
