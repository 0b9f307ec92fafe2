/** Speed over operations a byte, under the peaks of this device; both axes logarithmic. */
import * as React from 'react';
import type { ITiming } from '../../../model/types';
import { Chart, percent } from '../../../ui/charts/chart';
import { Explore, useMark } from '../../../ui/charts/explore';
import { kindOf, Mark } from '../../../ui/charts/marks';
import { formatNumber, formatPercent, formatRate } from '../../../ui/format';
import { useTrans, type Trans } from '../../../ui/trans';
import { rateOf } from '../../parts/labels';
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
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const chart = layoutRoofline(timing);
  if (!chart) {
    return null;
  }
  const { points, peaks } = chart;
  const values = [
    ...points.map(point => pointSaid(point, chart.intensity, trans)),
    ...peaks.map(peakSaid)
  ];
  return (
    <figure className="jp-KernelReport-plot">
      <figcaption>
        {trans.__('Roofline on this device')}{' '}
        <small>
          {trans.__(
            'solid peaks measured here, dashed ones from the vendor; bytes and FLOP counted from the shapes'
          )}
        </small>
      </figcaption>
      <Explore label={trans.__('Roofline')} values={values}>
        <Chart
          height={HEIGHT}
          title={trans.__('Roofline: %1', values[0] ?? '')}
          desc={values.join('. ')}
        >
          <Axes chart={chart} />
          {peaks.map((line, n) => (
            <PeakMark key={n} mark={points.length + n} line={line} />
          ))}
          {peaks.map((line, n) => (
            <PeakLabel key={n} line={line} />
          ))}
          {points
            .map((point, n) => <PointMark key={n} mark={n} point={point} />)
            // The candidate lies on top.
            .reverse()}
          <text x="100%" y={HEIGHT - 4} textAnchor="end">
            {trans.__('FLOP per byte moved · vertical: FLOP/s')}
          </text>
        </Chart>
      </Explore>
    </figure>
  );
}

function pointSaid(
  { one, share, flopsPerS }: IPoint,
  intensity: number,
  trans: Trans
): string {
  return trans.__(
    '%1: %2 at %3 FLOP per byte, of limit %4',
    one.row.program,
    formatRate(flopsPerS, 'FLOP/s'),
    formatNumber(intensity),
    share.percent || formatPercent(share.share)
  );
}

function peakSaid({ peak }: IPeakLine): string {
  return `${peak.label || peak.name}: ${rateOf(peak)}`;
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

function PeakLabel({ line }: { line: IPeakLine }): React.JSX.Element | null {
  const { label } = line;
  switch (label?.kind) {
    case 'end':
      return (
        <text className="jp-mod-said" x="100%" y={label.y} textAnchor="end">
          {peakSaid(line)}
        </text>
      );
    case 'slope':
      return (
        <svg x={percent(label.x)} y={label.y} overflow="visible">
          <text className="jp-mod-said" x="8" y={BELOW}>
            {peakSaid(line)}
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
