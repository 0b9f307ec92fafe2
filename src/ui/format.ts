/**
 * How numbers read that the report does not hold as text: those of axes and raw
 * figures of tables. In: plain numbers, the unit in the function's name. Out: text without words of a language.
 * Not here: how many digits tell figures apart, and every figure of a sentence
 * (Python, `report.shown_words`).
 */
import type { IPeakRate } from '../model/types';

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

/** A column of times: one unit, that of the longest: `3.02 ms`, `0.78 ms`. */
export function formatDurations(seconds: readonly number[]): string[] {
  const [unit, scale] = timeUnit(Math.max(0, ...seconds));
  return seconds.map(value => `${formatSignificant(value / scale)} ${unit}`);
}

/** A ratio never falls below 1, its direction is said in words: `1.61x`. */
export function formatRatio(ratio: number, digits = 3): string {
  return `${formatSignificant(Math.max(ratio, 1 / ratio), digits)}x`;
}

/** A part of one: `63%`. */
export function formatPercent(part: number): string {
  return `${formatCount(part * 100)}%`;
}

/** A rate, decimal: `4.25 TB/s`, `50.6 TFLOP/s`. */
export function formatRate(rate: number, unit: IPeakRate['unit']): string {
  return decimal(rate, unit);
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

/** The time of day, as clocks of 24 hours show it. */
export function clockTime(at: Date | number): string {
  return new Date(at).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23'
  });
}
