import {
  countGates,
  formatCount,
  formatDuration,
  formatDurations,
  formatErrorUnits,
  formatFraction,
  formatKibibytes,
  formatNumber,
  formatOperations,
  formatRate,
  formatRatio,
  formatSeconds,
  formatShare,
  formatSignificant,
  formatSize,
  formatUlp,
  ratioDigits
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

  it('writes a column of times in one unit, with digits that tell them apart', () => {
    expect(formatDurations([0.003015, 0.003037, 0.00491])).toEqual([
      '3.015 ms',
      '3.037 ms',
      '4.910 ms'
    ]);
    expect(formatDurations([0.00078, 0.002718])).toEqual([
      '0.780 ms',
      '2.72 ms'
    ]);
    expect(formatDurations([0, 0])).toEqual(['0 s', '0 s']);
    expect(formatDurations([])).toEqual([]);
  });

  it.each([
    [1.01, 3, '1.01x'],
    [1 / 1.61, 3, '1.61x'],
    [1, 4, '1.000x'],
    [12, 3, '12.0x']
  ])('never writes the ratio %p below 1', (ratio, digits, text) => {
    expect(formatRatio(ratio, digits)).toBe(text);
  });

  it.each([
    [[1.009, 1.01, 1.011], 4],
    [[1 / 1.62, 1 / 1.61], 3],
    [[3.48, 3.484], 4],
    [[3.44, 3.48, 3.52], 3],
    [[], 3]
  ])('gives the ratios %p %p digits', (ratios, digits) => {
    expect(ratioDigits(ratios)).toBe(digits);
  });

  it.each([
    [0.62, '62%'],
    [0.625, '63%'],
    [0.125, '13%'],
    [1.004, '100%'],
    [1.04, '104%']
  ])('writes the share %p of a limit', (share, text) => {
    expect(formatShare(share)).toBe(text);
  });

  it.each([
    [formatRate(4.25e12, 'B/s'), '4.25 TB/s'],
    [formatRate(999.9e9, 'B/s'), '1.00 TB/s'],
    [formatRate(50.6e12, 'FLOP/s'), '50.6 TFLOP/s'],
    [formatOperations(1.374e11), '137 GFLOP'],
    [formatSize(201326592), '201 MB'],
    [formatSize(12), '12 B'],
    [formatKibibytes(227 * 1024), '227 KiB'],
    [formatKibibytes(8448), '8.25 KiB'],
    [formatKibibytes(0), '0 B'],
    [formatFraction(201326592, 6442450944), '1/32'],
    [formatFraction(45, 100), '45%'],
    [formatSignificant(3), '3.00'],
    [formatSignificant(0), '0']
  ])('writes %p as Python does', (text, expected) => {
    expect(text).toBe(expected);
  });
});
