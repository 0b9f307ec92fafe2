import * as React from 'react';

interface IChartProps {
  height: number;
  /** What it shows, with its main value. */
  title: string;
  /** Its values in a sentence, where the title does not hold them. */
  desc?: string;
  children: React.ReactNode;
}

/**
 * A picture beside values that stand in a table: x in percent, y in px and no
 * viewBox, so that it stretches and its type keeps its size.
 */
export function Chart(props: IChartProps): React.JSX.Element {
  const id = React.useId();
  return (
    <svg
      className="jp-KernelReport-chart"
      role="img"
      height={props.height}
      aria-labelledby={props.desc ? `${id}t ${id}d` : `${id}t`}
    >
      <title id={`${id}t`}>{props.title}</title>
      {props.desc && <desc id={`${id}d`}>{props.desc}</desc>}
      {props.children}
    </svg>
  );
}

/** A percentage as an attribute. */
export function percent(share: number): string {
  return `${share.toFixed(2)}%`;
}
