import * as React from 'react';
import type { IAppearance, Shape } from './appearance';

// On a 26 px square. Class bg is filled with the state colour, fg is cut out of
// it; ring and line are strokes of the state colour.
const SHAPES: Record<Shape, React.JSX.Element> = {
  check: (
    <>
      <circle className="jp-KernelReport-bg" cx="13" cy="13" r="12" />
      <path className="jp-KernelReport-fg" d="M7.5 13.5l3.8 3.8 7.4-8" />
    </>
  ),
  cross: (
    <>
      <path className="jp-KernelReport-bg" d="M8 1h10l7 7v10l-7 7H8l-7-7V8z" />
      <path
        className="jp-KernelReport-fg"
        d="M8.7 8.7l8.6 8.6M17.3 8.7l-8.6 8.6"
      />
    </>
  ),
  clock: (
    <>
      <circle className="jp-KernelReport-ring" cx="13" cy="13" r="11" />
      <path className="jp-KernelReport-line" d="M13 7v6.5l4 2.5" />
    </>
  ),
  square: (
    <>
      <circle className="jp-KernelReport-ring" cx="13" cy="13" r="11" />
      <path className="jp-KernelReport-bg" d="M8.5 8.5h9v9h-9z" />
    </>
  ),
  half: (
    <>
      <circle className="jp-KernelReport-ring" cx="13" cy="13" r="11" />
      <path className="jp-KernelReport-bg" d="M13 2a11 11 0 0 0 0 22z" />
    </>
  ),
  question: (
    <>
      <circle
        className="jp-KernelReport-ring"
        cx="13"
        cy="13"
        r="11"
        strokeDasharray="4 3"
      />
      <path
        className="jp-KernelReport-line"
        d="M9.8 10.2a3.3 3.3 0 1 1 4.6 3c-1 .5-1.4 1-1.4 2.2M13 19v.2"
      />
    </>
  ),
  minus: (
    <>
      <circle className="jp-KernelReport-ring" cx="13" cy="13" r="11" />
      <path className="jp-KernelReport-line" d="M7.5 13h11" />
    </>
  ),
  alert: (
    <>
      <path className="jp-KernelReport-bg" d="M13 1.5L25.3 24H.7z" />
      <path className="jp-KernelReport-fg" d="M13 9.5v6.5M13 20v.2" />
    </>
  ),
  faster: (
    <>
      <circle className="jp-KernelReport-bg" cx="13" cy="13" r="12" />
      <path
        className="jp-KernelReport-fg"
        d="M7.5 7.5l5.5 5.5-5.5 5.5M13.5 7.5l5.5 5.5-5.5 5.5"
      />
    </>
  ),
  slower: (
    <>
      <path className="jp-KernelReport-bg" d="M1 1h24v24H1z" />
      <path
        className="jp-KernelReport-fg"
        d="M12.5 7l-6 6 6 6M19.5 7l-6 6 6 6"
      />
    </>
  ),
  same: (
    <>
      <circle className="jp-KernelReport-ring" cx="13" cy="13" r="11" />
      <path className="jp-KernelReport-line" d="M8 10.5h10M8 15.5h10" />
    </>
  ),
  other: (
    <path
      className="jp-KernelReport-ring"
      d="M13 2.5L23.5 13L13 23.5L2.5 13Z"
    />
  ),
  running: (
    <>
      <circle
        className="jp-KernelReport-ring"
        cx="13"
        cy="13"
        r="11"
        strokeDasharray="46 24"
      />
      <circle className="jp-KernelReport-bg" cx="13" cy="13" r="4" />
    </>
  ),
  waiting: (
    <circle
      className="jp-KernelReport-ring"
      cx="13"
      cy="13"
      r="11"
      strokeDasharray="3.5 3.4"
    />
  )
};

interface IGlyphProps {
  appearance: IAppearance;
  /** Beside a word in a row, not beside the verdict. */
  small?: boolean;
}

/** A state as a shape; it stands beside words, so it needs no label. */
export function Glyph({ appearance, small }: IGlyphProps): React.JSX.Element {
  const size = small ? ' jp-mod-small' : '';
  return (
    <svg
      className={`jp-KernelReport-glyph jp-mod-${appearance.tone}${size}`}
      viewBox="0 0 26 26"
      aria-hidden="true"
    >
      {SHAPES[appearance.shape]}
    </svg>
  );
}
