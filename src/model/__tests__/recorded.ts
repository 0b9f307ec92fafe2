/** The reports that the Python tests recorded; both sides are tested with them. */
import { readdirSync, readFileSync } from 'fs';
import { basename, join } from 'path';
import type { IReport, ITiming } from '../types';
import { validateReport } from '../validate';

/** What Python and TypeScript are both tested with. */
export const FIXTURES = join(__dirname, '../../../python/tests/fixtures');

const REPORTS = join(FIXTURES, 'reports');

export const FIXTURE_NAMES = readdirSync(REPORTS)
  .filter(file => file.endsWith('.json'))
  .map(file => basename(file, '.json'));

export type Json = Record<string, unknown>;

/** A recorded report as a test may change it; each call gives one of its own. */
export function fixture(name: string): Json {
  return JSON.parse(readFileSync(join(REPORTS, `${name}.json`), 'utf8'));
}

/** A recorded report as the extension reads it. */
export function recorded(name: string): IReport {
  const report = validateReport(fixture(name));
  if (!report) {
    throw new Error(`${name} is no report`);
  }
  return report;
}

export function recordedTiming(name: string): ITiming {
  const { timing } = recorded(name);
  if (!timing) {
    throw new Error(`${name} was not timed`);
  }
  return timing;
}
