/**
 * What a timing says of speed: which rows and ratios belong together.
 *
 * In: a report's timing. Out: its parts, null where something was not measured.
 * Not here: words and figures, which the report holds.
 */
import type {
  IFloor,
  ILimit,
  IReport,
  IRoof,
  IShare,
  ISpeed,
  ITimed,
  ITiming
} from './types';

export type Phase = ITimed['phase'];
export type Circumstance = ITimed['circumstance'];
export type Role = ITimed['role'];

export const PHASES: readonly Phase[] = [
  'forward',
  'backward',
  'training step'
];
export const CIRCUMSTANCES: readonly Circumstance[] = ['cold', 'warm', 'graph'];

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
  circumstance: Circumstance
): ISpeed | null {
  return (
    timing.speeds.find(
      one =>
        one.program === program &&
        one.phase === phase &&
        one.circumstance === circumstance
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
  circumstance: Circumstance
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
    .filter(row => row.phase === phase && row.circumstance === circumstance)
    .map(row => {
      const speed = speedOf(timing, row.program, phase, circumstance);
      return { row, speed, isOther: speed !== null && speed.verdict === null };
    })
    .sort((a, b) => place(a) - place(b));
}

/** The circumstance that stands for a phase: cold where it was measured. */
export function circumstanceOf(
  timing: ITiming,
  phase: Phase
): Circumstance | null {
  return (
    CIRCUMSTANCES.find(one =>
      timing.rows.some(row => row.phase === phase && row.circumstance === one)
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

/** The floor of a phase and the roof that sets it. */
export function limitOf(
  limit: ILimit | null,
  phase: Phase
): { floor: IFloor; roof: IRoof } | null {
  const floor = limit?.floors.find(one => one.phase === phase);
  // The vendor's has the same name; shares are of what was measured here.
  const named = limit?.roofs.filter(one => one.name === floor?.roof);
  const roof = named?.find(({ vendor }) => !vendor) ?? named?.[0];
  return floor && roof ? { floor, roof } : null;
}
