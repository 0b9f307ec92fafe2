/** The ratio over the number of elements, with the interval of each point. */
import * as React from 'react';
import { Axis } from '../../../../ui/charts/axis';
import { percent } from '../../../../ui/charts/chart';
import { useMark } from '../../../../ui/charts/explore';
import { Mark } from '../../../../ui/charts/marks';
import { ratioTick } from '../../../../ui/charts/scale';
import { formatCount } from '../../../../ui/format';
import { useTrans, type Trans } from '../../../../ui/trans';
import { Plot } from '../../../parts/plot';
import type { IPictureProps } from '..';
import { HEIGHT, layout, type ISizesPoint } from './layout';

export function Curve({ picture, report }: IPictureProps): React.JSX.Element {
  const trans = useTrans();
  const chart = layout(report.timing?.sweep ?? []);
  return (
    <Plot picture={picture} height={HEIGHT}>
      {chart.yTicks.map(({ value, y }) => (
        <React.Fragment key={value}>
          <line
            className={
              value === 1 ? 'jp-KernelChart-peak' : 'jp-KernelChart-grid'
            }
            x1="0"
            x2="100%"
            y1={y}
            y2={y}
          />
          <text x="0" y={y - 3}>
            {ratioWords(value, trans)}
          </text>
        </React.Fragment>
      ))}
      {chart.points.map((point, n) => (
        <Point key={n} mark={n} point={point} />
      ))}
      <Axis
        scale={chart.xAxis}
        y={HEIGHT - 24}
        label={tick =>
          tick >= 1e4 ? `1e${Math.round(Math.log10(tick))}` : formatCount(tick)
        }
      />
    </Plot>
  );
}

function ratioWords(ratio: number, trans: Trans): string {
  if (ratio === 1) {
    return trans.__('same');
  }
  return ratio > 1
    ? trans.__('%1 faster', ratioTick(ratio))
    : trans.__('%1 slower', ratioTick(ratio));
}

function Point(props: { mark: number; point: ISizesPoint }): React.JSX.Element {
  const { point } = props;
  const x = percent(point.x);
  return (
    <g {...useMark(props.mark)}>
      <line
        className="jp-KernelChart-candidate jp-mod-line"
        x1={x}
        x2={x}
        y1={point.low}
        y2={point.high}
      />
      <Mark kind="candidate" x={point.x} y={point.y} />
      {point.isSlower && (
        <svg x={x} y={point.y} overflow="visible">
          <rect
            className="jp-KernelChart-lost"
            x="-8"
            y="-8"
            width="16"
            height="16"
          />
        </svg>
      )}
    </g>
  );
}
