/**
 * How numbers read in a report: DESIGN-UI section 6. In: plain numbers, the unit
 * in the function's name. Out: text without words of a language.
 */
import type { IGate } from './types';

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

/** A time in the unit that suits it: `3.02 ms`, or `3.015 ms` with 4 digits. */
export function formatDuration(seconds: number, digits = 3): string {
  for (const [unit, scale] of [
    ['s', 1],
    ['ms', 1e-3],
    ['µs', 1e-6]
  ] as const) {
    // Rounded first: 0.9999 ms is 1 ms.
    if (Number(seconds.toPrecision(digits)) >= scale) {
      return `${formatNumber(seconds / scale, digits)} ${unit}`;
    }
  }
  return `${formatNumber(seconds / 1e-9, digits)} ns`;
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
