/**
 * Reports of the Python tests' fixtures.
 */

import { readFileSync } from 'fs';
import { join } from 'path';
import { IReport, validateReport } from '../../model';

export const FIXTURES = join(__dirname, '../../../python/tests/fixtures');

/** A run in emulation whose case “normal” is wrong; each call gives one of its own. */
export function wrongResult(): IReport {
  const path = join(FIXTURES, 'reports/wrong-result.json');
  return validateReport(JSON.parse(readFileSync(path, 'utf8')))!;
}
