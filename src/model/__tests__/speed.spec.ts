import { contestants, headline, limitOf, speedVerdict } from '../speed';
import { recorded, recordedTiming } from './recorded';

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
    expect(speedVerdict(recorded(name))).toBe(verdict);
  });

  it('counts only for a program that passed', () => {
    const report = recorded('profile');
    const verdict = { ...recorded('wrong-result').verdict! };
    expect(speedVerdict({ ...report, verdict })).toBeNull();
  });

  it('is that of the forward call with cold caches', () => {
    expect(headline(recordedTiming('benchmark'))).toMatchObject({
      program: 'this kernel',
      phase: 'forward',
      cache_state: 'cold'
    });
    expect(headline(null)).toBeNull();
  });

  it('lists candidate, others, reference, and other arithmetic last', () => {
    const programs = (name: string) =>
      contestants(recordedTiming(name), 'forward', 'cold').map(
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

  it('finds the peak that sets the limit', () => {
    const one = recordedTiming('profile');
    expect(limitOf(one.limit, 'forward')?.peak.name).toBe('device copy');
    expect(limitOf(null, 'forward')).toBeNull();
  });
});
