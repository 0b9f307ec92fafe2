/**
 * What a timing says of speed: which rows and ratios belong together.
 *
 * In: a report's timing. Out: its parts, null where something was not measured.
 * Not here: words and figures, which the report holds.
 */
import type {
  ILowerBound,
  ILimit,
  IReport,
  IPeakRate,
  IShare,
  ISpeed,
  ITimed,
  ITiming
} from './types';

export type Phase = ITimed['phase'];
export type CacheState = ITimed['cache_state'];
export type Role = ITimed['role'];

export const PHASES: readonly Phase[] = [
  'forward',
  'backward',
  'training step'
];
export const CACHE_STATES: readonly CacheState[] = ['cold', 'warm', 'graph'];

/**
 * Whether a program that passed is faster: its forward call with cold caches
 * against the reference. Null where that was not compared.
 */
export function speedVerdict(report: IReport): ISpeed['verdict'] {
  return report.verdict?.outcome === 'pass'
    ? (headline(report.timing)?.verdict ?? null)
    : null;
}

/** The speed that a verdict speaks of. */
export function headline(timing: ITiming | null): ISpeed | null {
  const name = nameOf(timing, 'candidate');
  return timing && name !== null
    ? speedOf(timing, name, 'forward', 'cold')
    : null;
}

/** What the program of that role is called. */
export function nameOf(timing: ITiming | null, role: Role): string | null {
  return timing?.rows.find(row => row.role === role)?.program ?? null;
}

/** The part that a program has in the comparison; "other" for an unknown one. */
export function roleOf(timing: ITiming | null, program: string): Role {
  return timing?.rows.find(row => row.program === program)?.role ?? 'other';
}

export function speedOf(
  timing: ITiming,
  program: string,
  phase: Phase,
  cache_state: CacheState
): ISpeed | null {
  return (
    timing.speeds.find(
      one =>
        one.program === program &&
        one.phase === phase &&
        one.cache_state === cache_state
    ) ?? null
  );
}

/** A program of a comparison, with its speed where it was compared. */
export interface IContestant {
  row: ITimed;
  speed: ISpeed | null;
  /** It computes with another accuracy, so that its speed gets no verdict. */
  isOther: boolean;
}

/** The programs of a phase: the candidate, others, the reference, other arithmetic. */
export function contestants(
  timing: ITiming,
  phase: Phase,
  cache_state: CacheState
): IContestant[] {
  const place = ({ row, isOther }: IContestant) =>
    row.role === 'candidate'
      ? 0
      : row.role === 'reference'
        ? 2
        : isOther
          ? 3
          : 1;
  return timing.rows
    .filter(row => row.phase === phase && row.cache_state === cache_state)
    .map(row => {
      const speed = speedOf(timing, row.program, phase, cache_state);
      return { row, speed, isOther: speed !== null && speed.verdict === null };
    })
    .sort((a, b) => place(a) - place(b));
}

/** The cache state that stands for a phase: cold where it was measured. */
export function cacheStateOf(timing: ITiming, phase: Phase): CacheState | null {
  return (
    CACHE_STATES.find(one =>
      timing.rows.some(row => row.phase === phase && row.cache_state === one)
    ) ?? null
  );
}

export function shareOf(
  limit: ILimit | null,
  program: string,
  phase: Phase
): IShare | null {
  return (
    limit?.shares.find(one => one.program === program && one.phase === phase) ??
    null
  );
}

/** The bound of a phase and the peak that sets it. */
export function limitOf(
  limit: ILimit | null,
  phase: Phase
): { bound: ILowerBound; peak: IPeakRate } | null {
  const bound = limit?.lower_bounds.find(one => one.phase === phase);
  // The vendor's has the same name; shares are of what was measured here.
  const named = limit?.peak_rates.filter(one => one.name === bound?.peak);
  const peak = named?.find(({ vendor }) => !vendor) ?? named?.[0];
  return bound && peak ? { bound, peak } : null;
}
