/**
 * The runs of each problem as attempts at it: which is best so far, and how they
 * went, one after the other.
 *
 * In: runs, newest first. Out: a group for each problem, the newest problem first.
 * Not here: how they are drawn.
 */

import { headline } from '../../model';
import { IRun } from '../../tokens';

export interface IAttempts {
  /** Of the problem: one of its own for each work that is asked for. */
  readonly key: string;
  /** "LeakyReLU 64x3072 float32". */
  readonly name: string;
  readonly runs: readonly IRun[];
  /** The fastest that is right; of those without times, the newest that is. Null if none was run here. */
  readonly best: IRun | null;
  /** From the first on, without what has not ended. */
  readonly points: readonly IAttempt[];
}

export interface IAttempt {
  readonly run: IRun;
  readonly isRight: boolean;
  /** Reference time over its own; null if that was not measured. */
  readonly ratio: number | null;
}

export function attemptsOf(runs: readonly IRun[]): IAttempts[] {
  const groups = new Map<string, IRun[]>();
  for (const run of runs) {
    const key = keyOf(run);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups].map(([key, all]) => {
    const { name, shape, dtype } = all[0]!.report.problem;
    const points = all
      .filter(({ report }) => report.state === 'finished')
      .map(pointOf)
      .reverse();
    return {
      key,
      name: [name, shape, dtype].filter(part => part !== '').join(' '),
      runs: all,
      best: bestOf(points),
      points
    };
  });
}

/** Whether the notebook's file alone says how it ended. */
export function isSaved({ heardAt, report }: IRun): boolean {
  return heardAt === null && report.state === 'finished';
}

function keyOf({ report: { problem } }: IRun): string {
  return JSON.stringify([problem.id, problem.shape, problem.dtype]);
}

function pointOf(run: IRun): IAttempt {
  const isRight = run.report.verdict?.outcome === 'pass';
  const speed = headline(run.report.timing);
  return {
    run,
    isRight,
    // A speed of another arithmetic, or one that is unclear, is none.
    ratio:
      isRight && speed?.verdict && speed.verdict !== 'UNCLEAR'
        ? speed.ratio
        : null
  };
}

/** A run that only the file tells of is never the best. */
function bestOf(points: readonly IAttempt[]): IRun | null {
  const right = points.filter(
    ({ isRight, run }) => isRight && run.heardAt !== null
  );
  const best = right.reduce<IAttempt | null>(
    (best, one) =>
      best === null || (one.ratio ?? 0) >= (best.ratio ?? 0) ? one : best,
    null
  );
  return best?.run ?? null;
}
