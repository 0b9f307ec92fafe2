import {
  formatCount,
  formatDuration,
  formatDurations,
  formatKibibytes,
  formatNumber,
  formatPercent,
  formatRate,
  formatRatio,
  formatSeconds,
  formatSignificant,
  formatSize
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

  it('writes a column of times in one unit, that of the longest', () => {
    expect(formatDurations([0.00078, 0.002718])).toEqual([
      '0.780 ms',
      '2.72 ms'
    ]);
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
    [0.62, '62%'],
    [0.625, '63%'],
    [0.125, '13%'],
    [1.04, '104%']
  ])('writes the share %p in percent', (share, text) => {
    expect(formatPercent(share)).toBe(text);
  });

  it.each([
    [formatRate(4.25e12, 'B/s'), '4.25 TB/s'],
    [formatRate(999.9e9, 'B/s'), '1.00 TB/s'],
    [formatRate(50.6e12, 'FLOP/s'), '50.6 TFLOP/s'],
    [formatSize(201326592), '201 MB'],
    [formatSize(12), '12 B'],
    [formatKibibytes(227 * 1024), '227 KiB'],
    [formatKibibytes(8448), '8.25 KiB'],
    [formatKibibytes(0), '0 B'],
    [formatSignificant(3), '3.00'],
    [formatSignificant(0), '0']
  ])('writes %p as Python does', (text, expected) => {
    expect(text).toBe(expected);
  });
});
