/** Speed over operations a byte, under the peaks of this device; both axes logarithmic. */
import * as React from 'react';
import { percent } from '../../../../ui/charts/chart';
import { useMark } from '../../../../ui/charts/explore';
import { kindOf, Mark } from '../../../../ui/charts/marks';
import { formatNumber, formatRate } from '../../../../ui/format';
import { useTrans } from '../../../../ui/trans';
import { Plot } from '../../../parts/plot';
import type { IPictureProps } from '..';
import {
  BELOW,
  BOTTOM,
  layoutRoofline,
  LEFT,
  type IPoint,
  type IRooflineLayout,
  type IPeakLine
} from './layout';

const HEIGHT = 210;

export function Roofline({
  picture,
  report
}: IPictureProps): React.JSX.Element | null {
  const trans = useTrans();
  const chart = report.timing && layoutRoofline(report.timing);
  if (!chart) {
    return null;
  }
  const { points, peaks } = chart;
  const said = (n: number) => picture.values[points.length + n] ?? '';
  return (
    <Plot picture={picture} height={HEIGHT}>
      <Axes chart={chart} />
      {peaks.map((line, n) => (
        <PeakMark key={n} mark={points.length + n} line={line} />
      ))}
      {peaks.map((line, n) => (
        <PeakLabel key={n} line={line} said={said(n)} />
      ))}
      {points
        .map((point, n) => <PointMark key={n} mark={n} point={point} />)
        // The candidate lies on top.
        .reverse()}
      <text x="100%" y={HEIGHT - 4} textAnchor="end">
        {trans.__('FLOP per byte moved · vertical: FLOP/s')}
      </text>
    </Plot>
  );
}

function Axes({ chart }: { chart: IRooflineLayout }): React.JSX.Element {
  return (
    <>
      {chart.yTicks.map(({ value, at }) => (
        <React.Fragment key={value}>
          <line
            className="jp-KernelChart-grid"
            x1={`${LEFT}%`}
            x2="100%"
            y1={at}
            y2={at}
          />
          <text x={`${LEFT - 1}%`} y={at + 4} textAnchor="end">
            {short(value)}
          </text>
        </React.Fragment>
      ))}
      {chart.xTicks.map(({ value, at, isLast }) => (
        <React.Fragment key={value}>
          <line
            className="jp-KernelChart-axis"
            x1={percent(at)}
            x2={percent(at)}
            y1={BOTTOM}
            y2={BOTTOM + 4}
          />
          <text
            x={percent(at)}
            y={BOTTOM + 16}
            textAnchor={isLast ? 'end' : 'middle'}
          >
            {formatNumber(value)}
          </text>
        </React.Fragment>
      ))}
      <line
        className="jp-KernelChart-axis"
        x1={`${LEFT}%`}
        x2="100%"
        y1={BOTTOM}
        y2={BOTTOM}
      />
    </>
  );
}

function PeakMark(props: { mark: number; line: IPeakLine }): React.JSX.Element {
  const { peak, x1, x2, y1, y2 } = props.line;
  return (
    <g {...useMark(props.mark)}>
      <line
        className={`jp-KernelChart-peak${peak.vendor ? ' jp-mod-vendor' : ''}`}
        x1={percent(x1)}
        x2={percent(x2)}
        y1={y1}
        y2={y2}
      />
    </g>
  );
}

interface IPeakLabelProps {
  line: IPeakLine;
  said: string;
}

function PeakLabel({ line, said }: IPeakLabelProps): React.JSX.Element | null {
  const { label } = line;
  switch (label?.kind) {
    case 'end':
      return (
        <text className="jp-mod-said" x="100%" y={label.y} textAnchor="end">
          {said}
        </text>
      );
    case 'slope':
      return (
        <svg x={percent(label.x)} y={label.y} overflow="visible">
          <text className="jp-mod-said" x="8" y={BELOW}>
            {said}
          </text>
        </svg>
      );
    default:
      return null;
  }
}

function PointMark(props: { mark: number; point: IPoint }): React.JSX.Element {
  const trans = useTrans();
  const { one, flopsPerS, x, y, labelY, labelSide } = props.point;
  const { row, isOther } = one;
  const kind = kindOf(row.role, isOther);
  return (
    <g {...useMark(props.mark)}>
      <Mark kind={kind} x={x} y={y} />
      {kind === 'candidate' && (
        <svg x={percent(x)} y={y} overflow="visible">
          <text
            className="jp-mod-strong"
            x={labelSide === 'right' ? 10 : -10}
            y={labelY - y}
            textAnchor={labelSide === 'right' ? 'start' : 'end'}
          >
            {trans.__('%1: %2', row.program, formatRate(flopsPerS, 'FLOP/s'))}
          </text>
        </svg>
      )}
    </g>
  );
}

/** "1 T", "100 G": a rate at a tick. */
function short(rate: number): string {
  return formatRate(rate, 'FLOP/s')
    .replace('FLOP/s', '')
    .replace(/\.0+(?= )/, '');
}
