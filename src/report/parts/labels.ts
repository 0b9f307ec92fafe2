/** Labels of what was measured: names of rows and phases. Conclusions come from the report. */
import type { CacheState, IContestant, Phase } from '../../model/speed';
import type { IPeakRate } from '../../model/types';
import type { Trans } from '../../ui/trans';
import { upperFirst } from '../../ui/words';

/** Our own word starts a row; a name, as torch.compile, stays as it is. */
export function programName({ row }: IContestant): string {
  return row.role === 'candidate' ? upperFirst(row.program) : row.program;
}

/** The time of a call, as the report writes it. */
export function timeOf({ row }: IContestant): string {
  return row.time;
}

/** The rate of a peak, as the report writes it. */
export function rateOf(peak: IPeakRate): string {
  return peak.rate_words;
}

export function phaseName(phase: Phase, trans: Trans): string {
  return {
    forward: trans.__('Forward'),
    backward: trans.__('Backward'),
    'training step': trans.__('Training step')
  }[phase];
}

export function cacheStateName(one: CacheState, trans: Trans): string {
  return {
    cold: trans.__('Cold: caches flushed before each call'),
    warm: trans.__('Warm: calls follow each other'),
    graph: trans.__('Replayed from a CUDA graph')
  }[one];
}
