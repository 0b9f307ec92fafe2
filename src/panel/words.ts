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
