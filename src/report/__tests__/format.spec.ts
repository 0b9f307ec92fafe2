import {
  countGates,
  formatCount,
  formatDuration,
  formatErrorUnits,
  formatNumber,
  formatSeconds,
  formatUlp
} from '../format';

describe('numbers in a report', () => {
  it.each([
    [0, '0'],
    [16, '16'],
    [98301, '98,301'],
    [2415919104, '2,415,919,104']
  ])('writes the count %p with commas', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it.each([
    [0, '0'],
    [1.2345, '1.23'],
    [0.06, '0.06'],
    [99.96, '100'],
    [1234.5, '1,235'],
    [-0.0029344, '-0.00293'],
    [2.5e-7, '2.5e-7'],
    [12345678, '1.23e7']
  ])('keeps three significant digits of %p', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it('keeps four digits where they are asked for', () => {
    expect(formatNumber(3.0152, 4)).toBe('3.015');
  });

  it.each([
    [0, '0 s'],
    [0.00136, '<0.01 s'],
    [0.0324, '0.03 s'],
    [0.9, '0.9 s'],
    [60, '60 s'],
    [1234, '1,234 s']
  ])('writes the wall time %p in seconds', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  it.each([
    [3.0152e-3, 3, '3.02 ms'],
    [3.0152e-3, 4, '3.015 ms'],
    [0.00099999, 3, '1 ms'],
    [4.25e-6, 3, '4.25 µs'],
    [8e-9, 3, '8 ns'],
    [0, 3, '0 ns'],
    [60, 3, '60 s']
  ])('writes %p s with %p digits in its own unit', (seconds, digits, text) => {
    expect(formatDuration(seconds, digits)).toBe(text);
  });

  it('counts gates without those that were not tried', () => {
    const outcomes = [
      'pass',
      'fail',
      'not run',
      'unsupported',
      'pass'
    ] as const;
    const gates = outcomes.map(outcome => ({
      name: 'gradient',
      contract: 'problem' as const,
      outcome,
      message: ''
    }));
    expect(countGates(gates)).toEqual({ held: 2, tried: 4 });
    expect(countGates([])).toEqual({ held: 0, tried: 0 });
  });

  it('names the unit of an error', () => {
    expect(formatUlp(0)).toBe('0 ulp');
    expect(formatUlp(1.5)).toBe('1.5 ulp');
    expect(formatErrorUnits(4.23)).toBe('4.2 u');
  });
});
