/**
 * How numbers read in a report: DESIGN-UI section 6. In: plain numbers, the unit
 * in the function's name. Out: text without words of a language.
 */
import type { IGate, IRoof } from './types';

const PREFIXES = [
  ['T', 1e12],
  ['G', 1e9],
  ['M', 1e6],
  ['k', 1e3]
] as const;

const TIME_UNITS = [
  ['s', 1],
  ['ms', 1e-3],
  ['µs', 1e-6]
] as const;

/** Thousands with a comma: `98,301`. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/**
 * At most `digits` significant digits, no trailing zeros: `1.23`, `0.06`,
 * `1,234`; `2.5e-7` where the plain form would be long.
 */
export function formatNumber(value: number, digits = 3): string {
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    return rounded.toExponential().replace('e+', 'e');
  }
  // Digits before the point are never rounded away.
  return size >= 1000
    ? formatCount(value)
    : rounded.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

/**
 * Wall time of a stage, always in seconds, so that stages compare: `0.06 s`.
 * Below a hundredth it says nothing: `<0.01 s`.
 */
export function formatSeconds(seconds: number): string {
  return seconds > 0 && seconds < 0.01
    ? '<0.01 s'
    : `${formatNumber(Math.round(seconds * 100) / 100)} s`;
}

/** So many significant digits, also where they are zeros, so that a column aligns: `3.00`. */
export function formatSignificant(value: number, digits = 3): string {
  if (value === 0 || !Number.isFinite(value)) {
    return String(value);
  }
  const exponent = Number(value.toExponential(digits - 1).split('e')[1]);
  const decimals = Math.min(20, Math.max(0, digits - 1 - exponent));
  return value.toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals
  });
}

/** Significant digits that tell these apart: 4 where two lie within 1%, else 3. */
export function digitsFor(values: readonly number[]): number {
  const found = [...new Set(values.filter(value => value > 0))].sort(
    (a, b) => a - b
  );
  const close = (value: number, n: number) =>
    value < 1.01 * (found[n - 1] ?? 0);
  return found.some(close) ? 4 : 3;
}

/** The unit that suits a time, and how many seconds it is. */
export function timeUnit(
  seconds: number,
  digits = 3
): readonly [string, number] {
  // Rounded first: 0.9999 ms is 1 ms.
  const rounded = Number(seconds.toPrecision(digits));
  return TIME_UNITS.find(([, scale]) => rounded >= scale) ?? ['ns', 1e-9];
}

/** A time in the unit that suits it: `3.02 ms`, or `3.015 ms` with 4 digits. */
export function formatDuration(seconds: number, digits = 3): string {
  const [unit, scale] = timeUnit(seconds, digits);
  return `${formatNumber(seconds / scale, digits)} ${unit}`;
}

/**
 * A column of times: one unit, that of the longest, and digits that tell them
 * apart: `3.015 ms`, `4.910 ms`.
 */
export function formatDurations(
  seconds: readonly number[],
  digits = digitsFor(seconds)
): string[] {
  const longest = Math.max(0, ...seconds);
  const [unit, scale] = longest > 0 ? timeUnit(longest, digits) : ['s', 1];
  return seconds.map(
    value => `${formatSignificant(value / scale, digits)} ${unit}`
  );
}

/** Digits for ratios that stand together: 4 where one is within 2% of 1 or two read the same. */
export function ratioDigits(ratios: readonly number[]): number {
  const found = [...new Set(ratios.map(ratio => Math.max(ratio, 1 / ratio)))];
  const alike =
    new Set(found.map(ratio => formatSignificant(ratio))).size < found.length;
  return alike || found.some(ratio => ratio < 1.02) ? 4 : 3;
}

/** A ratio never falls below 1, its direction is said in words: `1.61x`. */
export function formatRatio(ratio: number, digits = 3): string {
  return `${formatSignificant(Math.max(ratio, 1 / ratio), digits)}x`;
}

/** A share of a limit; up to 1% beyond it reads as at it, as it is measured too. */
export function formatShare(share: number): string {
  const percent = share > 1 && share <= 1.01 ? 100 : share * 100;
  return `${formatCount(percent)}%`;
}

/** A part of a whole: `1/32`, or `45%` where it is no whole part. */
export function formatFraction(part: number, whole: number): string {
  const times = whole / part;
  return times >= 2 && Math.abs(times - Math.round(times)) < 0.03 * times
    ? `1/${Math.round(times)}`
    : `${formatCount((part / whole) * 100)}%`;
}

/** A rate, decimal: `4.25 TB/s`, `50.6 TFLOP/s`. */
export function formatRate(rate: number, unit: IRoof['unit']): string {
  return decimal(rate, unit);
}

/** Operations, decimal: `137 GFLOP`. */
export function formatOperations(flops: number): string {
  return decimal(flops, 'FLOP');
}

/** Memory, decimal: `201 MB`, `6.44 GB`. */
export function formatSize(bytes: number): string {
  return bytes < 1000 ? `${Math.round(bytes)} B` : decimal(bytes, 'B');
}

/** Shared memory: `227 KiB`, `0 B`. */
export function formatKibibytes(bytes: number): string {
  if (bytes < 1024) {
    return `${bytes} B`;
  }
  return bytes % 1024 === 0
    ? `${formatCount(bytes / 1024)} KiB`
    : `${formatSignificant(bytes / 1024)} KiB`;
}

function decimal(value: number, unit: string): string {
  const rounded = Number(value.toPrecision(3));
  const [prefix, scale] = PREFIXES.find(([, size]) => rounded >= size) ?? [
    '',
    1
  ];
  return `${formatSignificant(value / scale)} ${prefix}${unit}`;
}

/** Distance from the reference in units in the last place: `0 ulp`. */
export function formatUlp(ulp: number): string {
  return `${formatNumber(ulp, 2)} ulp`;
}

/** Of the gates that were tried, how many hold; others count on neither side. */
export function countGates(gates: readonly IGate[]): {
  held: number;
  tried: number;
} {
  const count = (outcome: IGate['outcome']) =>
    gates.filter(gate => gate.outcome === outcome).length;
  return { held: count('pass'), tried: gates.length - count('not run') };
}

/** Forward error in units of the rounding of the dtype: `4.2 u`. */
export function formatErrorUnits(units: number): string {
  return `${formatNumber(units, 2)} u`;
}
