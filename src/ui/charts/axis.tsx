import * as React from 'react';
import { percent } from './chart';
import type { IScale } from './scale';

interface IGridProps {
  scale: IScale;
  height: number;
}

/** A line at each tick. */
export function Grid({ scale, height }: IGridProps): React.JSX.Element {
  return (
    <>
      {scale.ticks.map(tick => (
        <line
          key={tick}
          className="jp-KernelChart-grid"
          x1={percent(scale.at(tick))}
          x2={percent(scale.at(tick))}
          y1="0"
          y2={height}
        />
      ))}
    </>
  );
}

interface IAxisProps {
  scale: IScale;
  /** Of the line. */
  y: number;
  label: (tick: number) => string;
}

/** A line with its ticks and what they say, in 20 px below `y`. */
export function Axis({ scale, y, label }: IAxisProps): React.JSX.Element {
  return (
    <>
      <line className="jp-KernelChart-axis" x1="0" x2="100%" y1={y} y2={y} />
      {scale.ticks.map(tick => (
        <React.Fragment key={tick}>
          <line
            className="jp-KernelChart-axis"
            x1={percent(scale.at(tick))}
            x2={percent(scale.at(tick))}
            y1={y}
            y2={y + 4}
          />
          <text
            x={percent(scale.at(tick))}
            y={y + 16}
            textAnchor={anchorAt(scale.at(tick))}
          >
            {label(tick)}
          </text>
        </React.Fragment>
      ))}
    </>
  );
}

/** A label at an end of the chart grows inwards. */
export function anchorAt(share: number): 'start' | 'middle' | 'end' {
  return share < 4 ? 'start' : share > 96 ? 'end' : 'middle';
}
