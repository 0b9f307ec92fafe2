/** Words that several sections of the panel share. */

import { TranslationBundle } from '@jupyterlab/translation';

import { IRun } from '../tokens';

/** "Go to cell [7]"; a cell that runs has no number yet. */
export function goToWords(
  { prompt }: NonNullable<IRun['cell']>,
  trans: TranslationBundle
): string {
  return prompt === null
    ? trans.__('Go to cell')
    : trans.__('Go to cell [%1]', prompt);
}

/** How a run came out, in two or three words. */
export function resultWords(run: IRun, trans: TranslationBundle): string {
  const { report } = run;
  if (report.state === 'running') {
    return run.isRunning
      ? trans.__('running')
      : run.isUnheard
        ? trans.__('not heard of')
        : trans.__('did not finish');
  }
  // Reports of earlier versions have no short form.
  return (
    report.verdict?.short || report.verdict?.sentence || trans.__('no verdict')
  );
}
