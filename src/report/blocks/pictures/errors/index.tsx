/** How far the wrong elements of the first wrong case are off. */
import * as React from 'react';
import { percent } from '../../../../ui/charts/chart';
import { useMark } from '../../../../ui/charts/explore';
import { useTrans } from '../../../../ui/trans';
import { Plot } from '../../../parts/plot';
import type { IPictureProps } from '..';
import { HEIGHT, layout, type IErrorBar } from './layout';

/** As many labels stand beside each other. */
const MOST_LABELS = 7;

export function Errors({
  picture,
  report
}: IPictureProps): React.JSX.Element | null {
  if (!report.values) {
    return null;
  }
  const bars = layout(report.values);
  const every = Math.ceil(bars.length / MOST_LABELS);
  return (
    <div className="jp-KernelReport-errorMap">
      <Plot picture={picture} height={HEIGHT + 20}>
        {bars.map((bar, n) => (
          <Bar
            key={n}
            mark={n}
            bar={bar}
            isNamed={n % every === 0 || bar.power === null}
          />
        ))}
        <line
          className="jp-KernelChart-axis"
          x1="0"
          x2="100%"
          y1={HEIGHT}
          y2={HEIGHT}
        />
      </Plot>
    </div>
  );
}

function Bar(props: {
  mark: number;
  bar: IErrorBar;
  isNamed: boolean;
}): React.JSX.Element {
  const trans = useTrans();
  const { x, width, y, height, power } = props.bar;
  return (
    <g {...useMark(props.mark)}>
      <rect
        className="jp-KernelChart-row"
        x={percent(x)}
        width={percent(width)}
        y="0"
        height={HEIGHT}
      />
      <rect
        className="jp-KernelChart-wrong"
        x={percent(x)}
        width={percent(width)}
        y={y}
        height={height}
      />
      {props.isNamed && (
        <text x={percent(x + width / 2)} y={HEIGHT + 15} textAnchor="middle">
          {power === null ? trans.__('no number') : `1e${power}`}
        </text>
      )}
    </g>
  );
}
