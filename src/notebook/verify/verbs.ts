/**
 * Verify, benchmark and profile: what the same program can be put through, and
 * how that reads. Each does what the one before it does as well.
 */

import { TranslationBundle } from '@jupyterlab/translation';

import type { IReport } from '../../model';

export type Verb = IReport['verb'];

export const VERBS: readonly Verb[] = ['verify', 'benchmark', 'profile'];

/** On a button. */
export function verbName(verb: Verb, trans: TranslationBundle): string {
  return {
    verify: trans.__('Verify'),
    benchmark: trans.__('Benchmark'),
    profile: trans.__('Profile')
  }[verb];
}

/** On a command, with the name of an operator where one is meant. */
export function verbLabel(
  verb: Verb,
  operator: string | undefined,
  trans: TranslationBundle
): string {
  if (operator === undefined) {
    return {
      verify: trans.__('Verify program in cell'),
      benchmark: trans.__('Benchmark program in cell'),
      profile: trans.__('Profile program in cell')
    }[verb];
  }
  return {
    verify: trans.__('Verify %1', operator),
    benchmark: trans.__('Benchmark %1', operator),
    profile: trans.__('Profile %1', operator)
  }[verb];
}

/** In a tooltip. */
export function verbCaption(verb: Verb, trans: TranslationBundle): string {
  return {
    verify: trans.__(
      'Build the program of the cell and check it against PyTorch'
    ),
    benchmark: trans.__(
      'Build the program of the cell, check it and time it against PyTorch'
    ),
    profile: trans.__(
      'Build the program of the cell, check, time and profile it'
    )
  }[verb];
}
