/**
 * Two runs side by side: what each reached, and whether their times are of the same work.
 *
 * In: two reports. Out: their figures, null where one has none. Not here: words
 * (`comparison`).
 */

import { nameOf, shareOf } from '../model/speed';
import type { IReport } from '../model/types';

/** What a run reached. */
export interface IReached {
  /** Of a forward call with cold caches. */
  readonly seconds: number | null;
  /** The same as the report writes it. */
  readonly time: string;
  /** Against the reference, as the report writes it: "1.61x slower". */
  readonly against: string;
  /** Of the device's limit, as the report writes it: "63%". */
  readonly share: string;
}

export function reached({ timing }: IReport): IReached {
  const us = nameOf(timing, 'candidate');
  const row = timing?.rows.find(
    ({ program, phase, cache_state }) =>
      program === us && phase === 'forward' && cache_state === 'cold'
  );
  const share =
    us === null ? null : shareOf(timing?.limit ?? null, us, 'forward');
  return {
    seconds: row?.median_s ?? null,
    time: row ? row.time : '',
    against: row?.against ?? '',
    share: share ? share.percent : ''
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
