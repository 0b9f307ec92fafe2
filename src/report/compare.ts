/**
 * Two runs side by side: what each reached, and whether their times are of the same work.
 *
 * In: two reports. Out: their figures, null where one has none. Not here: words
 * (`panel/runs/comparison`).
 */

import { headline, nameOf, shareOf } from './speed';
import type { IReport } from './types';

/** What a run reached. */
export interface IReached {
  /** Of a forward call with cold caches. */
  readonly seconds: number | null;
  /** Time of the reference over that of the program. */
  readonly ratio: number | null;
  /** Of the device's limit; 1 at the limit. */
  readonly share: number | null;
}

export function reached({ timing }: IReport): IReached {
  const us = nameOf(timing, 'candidate');
  const row = timing?.rows.find(
    ({ program, phase, circumstance }) =>
      program === us && phase === 'forward' && circumstance === 'cold'
  );
  return {
    seconds: row?.median_s ?? null,
    ratio: headline(timing)?.ratio ?? null,
    share:
      us === null
        ? null
        : (shareOf(timing?.limit ?? null, us, 'forward')?.share ?? null)
  };
}

/** Whether the runs timed the same work on the same kind of device. */
export function isSameWork(one: IReport, other: IReport): boolean {
  const work = ({ problem, timing, device }: IReport) => [
    problem.id,
    problem.dtype,
    timing?.shape,
    device.name
  ];
  const [a, b] = [work(one), work(other)];
  return a.every((value, n) => value === b[n]);
}
