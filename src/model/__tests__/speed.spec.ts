import * as fs from 'fs';
import * as path from 'path';
import { contestants, headline, limitOf, speedVerdict } from '../speed';
import type { IReport, ITiming } from '../types';

function fixture(name: string): IReport {
  const file = `../../../python/tests/fixtures/reports/${name}.json`;
  return JSON.parse(fs.readFileSync(path.resolve(__dirname, file), 'utf8'));
}

function timing(name: string): ITiming {
  const found = fixture(name).timing;
  if (!found) {
    throw new Error(`${name} was not timed`);
  }
  return found;
}

describe('the speed of a report', () => {
  it.each([
    ['profile', 'FASTER'],
    ['benchmark', 'SAME'],
    ['slower', 'SLOWER'],
    ['unclear', 'UNCLEAR'],
    ['other-arithmetic', 'FASTER'],
    ['cuda-pass', null],
    ['wrong-result', null]
  ])('of %s is %s', (name, verdict) => {
    expect(speedVerdict(fixture(name))).toBe(verdict);
  });

  it('counts only for a program that passed', () => {
    const report = fixture('profile');
    const verdict = { ...fixture('wrong-result').verdict! };
    expect(speedVerdict({ ...report, verdict })).toBeNull();
  });

  it('is that of the forward call with cold caches', () => {
    expect(headline(timing('benchmark'))).toMatchObject({
      program: 'this kernel',
      phase: 'forward',
      circumstance: 'cold'
    });
    expect(headline(null)).toBeNull();
  });

  it('lists candidate, others, reference, and other arithmetic last', () => {
    const programs = (name: string) =>
      contestants(timing(name), 'forward', 'cold').map(
        ({ row, isOther }) => `${row.program}${isOther ? ' *' : ''}`
      );
    expect(programs('benchmark')).toEqual([
      'this kernel',
      'torch.compile',
      'PyTorch eager'
    ]);
    expect(programs('other-arithmetic')).toEqual([
      'this kernel',
      'PyTorch eager',
      'PyTorch eager, TF32 *'
    ]);
  });

  it('finds the roof that sets the limit', () => {
    const one = timing('profile');
    expect(limitOf(one.limit, 'forward')?.roof.name).toBe('device copy');
    expect(limitOf(null, 'forward')).toBeNull();
  });
});
