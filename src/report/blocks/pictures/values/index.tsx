/** What the first wrong case gave, upwards, against what was expected. */
import * as React from 'react';
import { percent } from '../../../../ui/charts/chart';
import { useMark } from '../../../../ui/charts/explore';
import { formatNumber } from '../../../../ui/format';
import { useTrans } from '../../../../ui/trans';
import { Plot } from '../../../parts/plot';
import type { IPictureProps } from '..';
import { HEIGHT, layout, type IValuePoint } from './layout';

export function Values({
  picture,
  report
}: IPictureProps): React.JSX.Element | null {
  const trans = useTrans();
  const { values } = report;
  if (!values) {
    return null;
  }
  const { points, ticks } = layout(values);
  const [first, last] = [ticks[0]!, ticks[ticks.length - 1]!];
  return (
    <div className="jp-KernelReport-errorMap">
      <Plot picture={picture} height={HEIGHT}>
        {ticks.map(({ value, x, y }) => (
          <React.Fragment key={value}>
            <line
              className="jp-KernelChart-grid"
              x1={percent(x)}
              x2={percent(x)}
              y1={last.y}
              y2={first.y}
            />
            <line
              className="jp-KernelChart-grid"
              x1={percent(first.x)}
              x2={percent(last.x)}
              y1={y}
              y2={y}
            />
            <text x={percent(x)} y={HEIGHT - 4} textAnchor="middle">
              {formatNumber(value)}
            </text>
          </React.Fragment>
        ))}
        <line
          className="jp-KernelChart-peak"
          x1={percent(first.x)}
          y1={first.y}
          x2={percent(last.x)}
          y2={last.y}
        />
        <text x="0" y="11">
          {trans.__('got')}
        </text>
        {points.map((point, n) => (
          <Point key={n} mark={n} point={point} />
        ))}
      </Plot>
    </div>
  );
}

function Point(props: { mark: number; point: IValuePoint }): React.JSX.Element {
  const { x, y, isWrong } = props.point;
  return (
    <g {...useMark(props.mark)}>
      <circle
        className={isWrong ? 'jp-KernelChart-wrong' : 'jp-KernelChart-right'}
        cx={percent(x)}
        cy={y}
        r="3.5"
      />
    </g>
  );
}
