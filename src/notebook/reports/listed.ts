/**
 * The runs of a notebook as a list.
 *
 * In: reports, and runs as they were listed before. Out: their order, and the
 * earlier object of a run that is the same.
 */

import { IReport } from '../../model';
import { IRun } from '../../tokens';

/** The run as it was where nothing of it changed: what draws it then need not draw it again. */
export function unlessSame(before: IRun | undefined, now: IRun): IRun {
  const { cell, ...others } = now;
  const isSame =
    before?.cell?.id === cell?.id &&
    before?.cell?.prompt === cell?.prompt &&
    Object.entries(others).every(
      ([name, value]) => before?.[name as keyof IRun] === value
    );
  return before && isSame ? before : now;
}

/** In that order; each date is read once, not at each comparison. */
export function newestFirst<T extends { report: IReport }>(
  all: readonly T[]
): T[] {
  return all
    .map(one => ({ one, at: Date.parse(one.report.created) || 0 }))
    .sort((a, b) => b.at - a.at)
    .map(({ one }) => one);
}
