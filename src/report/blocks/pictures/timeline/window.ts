/** The part of a timeline that is looked at, in seconds. In: where it ends. */
import * as React from 'react';

/** Nearer than this part of the whole is nothing to see. */
const LEAST = 1e-4;

export interface IWindow {
  readonly from: number;
  readonly to: number;
  /** Whether it is not the whole. */
  readonly isPart: boolean;
  /** About its middle: less than 1 is nearer. */
  zoom(factor: number): void;
  /** Along by a part of itself. */
  move(by: number): void;
  onKeyDown(event: React.KeyboardEvent): void;
}

export function useWindow(end: number): IWindow {
  const [[from, to], look] = React.useState([0, end]);
  const width = to - from;
  const show = (start: number, wanted: number) => {
    const wide = Math.min(end, Math.max(end * LEAST, wanted));
    const first = Math.min(end - wide, Math.max(0, start));
    look([first, first + wide]);
  };
  const zoom = (factor: number) =>
    show(from + (width * (1 - factor)) / 2, width * factor);
  const move = (by: number) => show(from + width * by, width);
  const keys: Record<string, () => void> = {
    w: () => zoom(0.5),
    s: () => zoom(2),
    a: () => move(-0.25),
    d: () => move(0.25)
  };
  return {
    from,
    to,
    isPart: width < end,
    zoom,
    move,
    onKeyDown: event => {
      const act = keys[event.key];
      if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        act();
      }
    }
  };
}
