/** The text of an output that a person copies for a model; null where the run brought none. */

import { MODEL_MIME } from './mimeType';
import type { ReportOutput } from './reportBus';

/** As the package bounds it. */
const MOST_CHARACTERS = 1800;

export function textForModel({
  output
}: {
  readonly output: ReportOutput | null;
}): string | null {
  const text = output?.data[MODEL_MIME];
  return typeof text === 'string' && text.length <= MOST_CHARACTERS
    ? text
    : null;
}
