import { IRun } from '../../tokens';

/** A run with its number in the notebook: 1 for the first that is still known. */
export interface INumberedRun {
  readonly run: IRun;
  readonly number: number;
}

/** The runs, newest first as they come, with their numbers. */
export function numbered(runs: readonly IRun[]): INumberedRun[] {
  return runs.map((run, n) => ({ run, number: runs.length - n }));
}
