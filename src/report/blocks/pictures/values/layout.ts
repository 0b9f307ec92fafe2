/**
 * What a result holds against what is expected, as points on a square.
 *
 * In: pairs of values. Out: where they lie, with the ticks that both axes share:
 * `x` in percent of the width, `y` in px. Equal values lie on the diagonal. Values
 * far beyond the others are drawn closer together. Not here: what they say.
 */
import type { IValues } from '../../../../model/types';

export const HEIGHT = 220;
/** Below the square, for the labels of its axis, in px. */
const BELOW = 22;
/** Room around the outermost points, in shares of the axis. */
const ROOM = 0.06;
/** From so many times a usual value on, equal lengths are equal ratios. */
const FAR = 30;

export interface IValuePoint {
  readonly x: number;
  readonly y: number;
  readonly isWrong: boolean;
}

export interface IValuesLayout {
  readonly points: readonly IValuePoint[];
  /** The ends of the axis and 0, if it is between. */
  readonly ticks: readonly {
    readonly value: number;
    readonly x: number;
    readonly y: number;
  }[];
}

export function layout({ got, expected, wrong }: IValues): IValuesLayout {
  const count = Math.min(got.length, expected.length);
  const all = [...got.slice(0, count), ...expected.slice(0, count)];
  const shape = shapeFor(all);
  const low = Math.min(0, ...all);
  const high = Math.max(0, ...all);
  const [from, to] = [shape(low), shape(high)];
  const span = to - from || 1;
  const share = (value: number) =>
    ROOM + ((shape(value) - from) / span) * (1 - 2 * ROOM);
  const x = (value: number) => share(value) * 100;
  const y = (value: number) => (1 - share(value)) * (HEIGHT - BELOW);
  return {
    points: Array.from({ length: count }, (_, n) => ({
      x: x(expected[n] ?? 0),
      y: y(got[n] ?? 0),
      isWrong: n < wrong
    })),
    ticks: [...new Set([low, 0, high])].map(value => ({
      value,
      x: x(value),
      y: y(value)
    }))
  };
}

/** Values as they are; or, if some are far beyond the usual one, by their powers. */
function shapeFor(values: readonly number[]): (value: number) => number {
  const sizes = values
    .map(Math.abs)
    .filter(size => size > 0)
    .sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 1;
  const most = sizes[sizes.length - 1] ?? 1;
  return most > FAR * usual
    ? value => Math.asinh(value / usual)
    : value => value / usual;
}
