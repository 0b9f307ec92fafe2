/**
 * What was timed, in words: those of the report that Python did not write.
 * They are the same as in `report.speed_words`, which writes facts and verdict.
 */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import {
  formatCount,
  formatDuration,
  formatDurations,
  formatFraction,
  formatRatio,
  formatShare
} from '../../report/format';
import {
  circumstanceOf,
  contestants,
  keptBytes,
  nameOf,
  speedOf,
  type Circumstance,
  type IContestant,
  type Phase
} from '../../report/speed';
import type { IClock, IRoof, ITiming } from '../../report/types';
import { ofTotal } from './words';

type Trans = IRenderMime.TranslationBundle;

/** Sizes of a sweep that are named; the rest are counted. */
const NAMED = 4;

/** Our own word starts a row; a name, as torch.compile, stays as it is. */
export function programName({ row }: IContestant): string {
  return row.role === 'candidate' ? upperFirst(row.program) : row.program;
}

export function upperFirst(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** "1.010x faster", "1.003x, same", "reference", "other arithmetic". */
export function againstWords(
  { row, speed }: IContestant,
  digits: number,
  trans: Trans
): string {
  if (row.role === 'reference') {
    return trans.__('reference');
  }
  if (!speed) {
    return '';
  }
  const ratio = formatRatio(speed.ratio, digits);
  switch (speed.verdict) {
    case null:
      return trans.__('not comparable');
    case 'FASTER':
      return trans.__('%1 faster', ratio);
    case 'SLOWER':
      return trans.__('%1 slower', ratio);
    default:
      return ratio;
  }
}

/** "1.009x to 1.011x"; a direction at each end where it passes 1. */
export function intervalWords(
  low: number,
  high: number,
  digits: number,
  trans: Trans
): string {
  const [from, to] = [formatRatio(low, digits), formatRatio(high, digits)];
  if (low < 1 && high > 1) {
    return trans.__('%1 slower to %2 faster', from, to);
  }
  return high <= 1
    ? trans.__('%1 to %2 slower', to, from)
    : trans.__('%1 to %2 faster', from, to);
}

export function phaseName(phase: Phase, trans: Trans): string {
  return {
    forward: trans.__('Forward'),
    backward: trans.__('Backward'),
    'training step': trans.__('Training step')
  }[phase];
}

export function circumstanceName(one: Circumstance, trans: Trans): string {
  return {
    cold: trans.__('Cold: caches flushed before each call'),
    warm: trans.__('Warm: calls follow each other'),
    graph: trans.__('Replayed from a CUDA graph')
  }[one];
}

export function clockName(name: IClock['name'], trans: Trans): string {
  return {
    'device events': trans.__('CUDA events'),
    'device trace span': trans.__('CUPTI span'),
    'wall with synchronization': trans.__('Wall, device synchronized'),
    'wall slope': trans.__('Wall slope, n to 2n calls')
  }[name];
}

/** "device copy", "the vendor’s FP16". */
export function roofName({ name, vendor }: IRoof, trans: Trans): string {
  return vendor ? trans.__('the vendor’s %1', name) : name;
}

/** "3.015 ms, IQR 6 µs, 100 samples; 4 clocks agree". */
export function timedWords(timing: ITiming, trans: Trans): string {
  const programs = contestants(timing, 'forward', 'cold');
  const [median] = formatDurations(programs.map(({ row }) => row.median_s));
  const ours = programs[0]?.row;
  if (ours?.role !== 'candidate' || median === undefined) {
    return timing.note
      ? trans.__('not measured: %1', timing.note)
      : trans.__('not measured');
  }
  const parts = [
    trans.__(
      '%1, IQR %2, %3',
      median,
      formatDuration(ours.q3_s - ours.q1_s, 2),
      trans._n('%1 sample', '%1 samples', ours.n)
    ),
    clocksWords(timing, trans)
  ];
  return parts.filter(part => part !== '').join('; ');
}

/** "4 clocks agree", or which do not. */
export function clocksWords({ clocks }: ITiming, trans: Trans): string {
  const named = (some: IClock[]) => [...new Set(some.map(({ name }) => name))];
  const astray = named(clocks.filter(({ agrees }) => !agrees));
  if (astray.length > 0) {
    return trans.__('clocks disagree: %1', astray.join(', '));
  }
  const read = named(clocks.filter(({ seconds }) => seconds !== null));
  return read.length > 1 ? trans.__('%1 clocks agree', read.length) : '';
}

/** "step 1.20x faster, 1/32 of the activation memory; forward alone 1.03x slower". */
export function trainingWords(timing: ITiming, trans: Trans): string {
  const alone = phaseAgainst(timing, 'forward', trans);
  const step = phaseAgainst(timing, 'training step', trans);
  const gains = [
    step && trans.__('step %1', step),
    keptWords(timing, trans)
  ].filter(part => part !== '');
  const parts = [
    gains.join(', '),
    alone && trans.__('forward alone %1', alone)
  ];
  return parts.filter(part => part !== '').join('; ');
}

function phaseAgainst(timing: ITiming, phase: Phase, trans: Trans): string {
  const circumstance = circumstanceOf(timing, phase);
  const name = nameOf(timing, 'candidate');
  const speed =
    circumstance && name !== null
      ? speedOf(timing, name, phase, circumstance)
      : null;
  if (!speed?.verdict) {
    return '';
  }
  const ratio = formatRatio(speed.ratio, speed.ratio < 1.02 ? 4 : 3);
  return {
    FASTER: trans.__('%1 faster', ratio),
    SLOWER: trans.__('%1 slower', ratio),
    SAME: trans.__('the same'),
    UNCLEAR: trans.__('unclear')
  }[speed.verdict];
}

/** "1/32 of the activation memory". */
export function keptWords(timing: ITiming, trans: Trans): string {
  const kept = keptBytes(timing);
  if (!kept || kept.theirs === 0 || kept.ours === kept.theirs) {
    return '';
  }
  return kept.ours === 0
    ? trans.__('no activation memory')
    : trans.__(
        '%1 of the activation memory',
        formatFraction(kept.ours, kept.theirs)
      );
}

/** "slower at 16x16, 32x32; faster at 7 of 11 sizes": those that lose first. */
export function sizesWords({ sweep }: ITiming, trans: Trans): string {
  const lost = sweep.filter(({ verdict }) => verdict === 'SLOWER');
  const won = sweep.filter(({ verdict }) => verdict === 'FASTER').length;
  const named = lost
    .slice(0, NAMED)
    .map(({ shape }) => shape)
    .join(', ');
  const parts = [
    lost.length > NAMED
      ? trans.__('slower at %1 and %2 more', named, lost.length - NAMED)
      : named && trans.__('slower at %1', named),
    trans.__('faster at %1 sizes', ofTotal(won, sweep.length, trans))
  ];
  return parts.filter(part => part !== '').join('; ');
}

/** "SM clock 1,980 MHz, 46 °C, 498 W; 240 timed calls verified; 0 samples dropped". */
export function conditionsWords(timing: ITiming, trans: Trans): string {
  const clock = [...new Set(timing.sm_clock_mhz.map(formatCount))];
  const device = [
    clock.length > 0
      ? trans.__('SM clock %1 MHz', clock.join(trans.__(' to ')))
      : '',
    timing.temperature_c !== null
      ? trans.__('%1 °C', timing.temperature_c)
      : '',
    timing.power_w !== null ? trans.__('%1 W', timing.power_w) : ''
  ];
  const dropped = timing.rows.reduce((sum, row) => sum + row.dropped, 0);
  const parts = [
    device.filter(part => part !== '').join(', '),
    trans._n(
      '%1 timed call verified',
      '%1 timed calls verified',
      timing.verified
    ),
    trans._n('%1 sample dropped', '%1 samples dropped', dropped),
    timing.disturbed
  ];
  return parts.filter(part => part !== '').join('; ');
}

/** "limited by registers", after an occupancy. */
export function occupancyWords(
  occupancy: number | null,
  limit: string,
  trans: Trans
): string {
  if (occupancy === null) {
    return '–';
  }
  return limit
    ? trans.__('%1, by %2', formatShare(occupancy), limit)
    : formatShare(occupancy);
}
