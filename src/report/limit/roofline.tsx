import * as React from 'react';
import { formatNumber, formatPercent, formatRate } from '../../ui/format';
import { contestants, limitOf, shareOf } from '../../model/speed';
import type { IRoof, ITiming } from '../../model/types';
import { Chart, percent } from '../../ui/charts/chart';
import { Explore, useMark } from '../../ui/charts/explore';
import { kindOf, Mark, type MarkKind } from '../../ui/charts/marks';
import { logarithmic, type IScale } from '../../ui/charts/scale';
import { useTrans } from '../../ui/trans';

/** Of the plot, in px and in percent of the width. */
const [TOP, BOTTOM, LEFT] = [14, 172, 9];
/** Labels closer than this would lie on each other. */
const LINE = 13;
/** The label of a roof, below it, and that of the candidate. */
const [BELOW, BELOW_POINT] = [12, 15];

interface IPoint {
  said: string;
  label: string;
  kind: MarkKind;
  flops_per_s: number;
}

/** Speed over operations a byte, under the roofs of this device; both axes logarithmic. */
export function Roofline({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { limit } = timing;
  const found = limitOf(limit, 'forward');
  if (!limit || !found || found.floor.flops === 0 || found.floor.bytes === 0) {
    return null;
  }
  const { floor } = found;
  const intensity = floor.flops / floor.bytes;
  const memory = limit.roofs.filter(({ unit }) => unit === 'B/s');
  const compute = limit.roofs.filter(({ unit }) => unit === 'FLOP/s');
  const programs = contestants(timing, 'forward', 'cold').flatMap(one => {
    const share = shareOf(limit, one.row.program, 'forward');
    return share && one.row.median_s > 0 ? [{ ...one, share }] : [];
  });
  if (memory.length === 0 || programs.length === 0) {
    return null;
  }
  const points: IPoint[] = programs.map(({ row, isOther, share }) => {
    const flops_per_s = floor.flops / row.median_s;
    const rate = formatRate(flops_per_s, 'FLOP/s');
    return {
      kind: kindOf(row.role, isOther),
      flops_per_s,
      label: trans.__('%1: %2', row.program, rate),
      said: trans.__(
        '%1: %2 at %3 FLOP per byte, of limit %4',
        row.program,
        rate,
        formatNumber(intensity),
        share.percent || formatPercent(share.share)
      )
    };
  });
  const slope = Math.max(...memory.map(({ rate }) => rate));
  const ceiling = Math.max(0, ...compute.map(({ rate }) => rate));
  const ridge = ceiling / slope;
  const x = logarithmic(
    decade(Math.min(intensity, ridge || intensity) / 3, Math.floor),
    decade(Math.max(intensity, ridge) * 3, Math.ceil)
  );
  const speeds = points.map(one => one.flops_per_s);
  const y = logarithmic(
    decade(Math.min(...speeds) / 3, Math.floor),
    Math.max(ceiling, slope * intensity, ...speeds) * 2
  );
  const plot = {
    x: (value: number) => LEFT + (x.at(value) / 100) * (100 - LEFT),
    y: (value: number) => BOTTOM - (y.at(value) / 100) * (BOTTOM - TOP)
  };
  const values = [
    ...points.map(({ said }) => said),
    ...[...memory, ...compute].map(roofSaid)
  ];
  const roofs = placed([...memory, ...compute]);
  const level = roofs.flatMap(({ roof, hasLabel }) =>
    hasLabel && roof.unit === 'FLOP/s' ? [plot.y(roof.rate) + BELOW] : []
  );
  return (
    <figure className="jp-KernelReport-plot">
      <figcaption>
        {trans.__('Roofline on this device')}{' '}
        <small>
          {trans.__(
            'solid roofs measured here, dashed ones from the vendor; bytes and FLOP counted from the shapes'
          )}
        </small>
      </figcaption>
      <Explore label={trans.__('Roofline')} values={values}>
        <Chart
          height={210}
          title={trans.__('Roofline: %1', points[0]?.said ?? '')}
          desc={values.join('. ')}
        >
          <Frame x={x} y={y} plot={plot} />
          {roofs.map((one, n) => (
            <RoofLine key={n} mark={points.length + n} {...one} plot={plot} />
          ))}
          {roofs
            .filter(({ hasLabel }) => hasLabel)
            .map((one, n) => (
              <RoofLabel
                key={n}
                {...one}
                plot={plot}
                label={roofSaid(one.roof)}
                taken={[...level, besideRoofs(plot.y(speeds[0] ?? 0), level)]}
              />
            ))}
          {points
            .map((one, n) => ({ one, n }))
            // The candidate lies on top.
            .reverse()
            .map(({ one, n }) => (
              <Point
                key={n}
                mark={n}
                point={one}
                x={plot.x(intensity)}
                y={plot.y(one.flops_per_s)}
                labels={level}
              />
            ))}
          <text x="100%" y="206" textAnchor="end">
            {trans.__('FLOP per byte moved · vertical: FLOP/s')}
          </text>
        </Chart>
      </Explore>
    </figure>
  );

  /** The highest of the other kind, measured as this one or as this one not. */
  function highest(others: IRoof[], { vendor }: IRoof): number {
    const alike = others.filter(other => other.vendor === vendor);
    const rates = (alike.length > 0 ? alike : others).map(({ rate }) => rate);
    return rates.length > 0 ? Math.max(...rates) : Infinity;
  }

  function roofSaid(roof: IRoof): string {
    const rate = roof.rate_words || formatRate(roof.rate, roof.unit);
    return `${roof.label || roof.name}: ${rate}`;
  }

  /** Every roof with its ends; of those that would write over each other the first keeps its label. */
  function placed(all: IRoof[]) {
    const taken: number[] = [];
    return all.map(roof => {
      const slanted = roof.unit === 'B/s';
      const from = slanted
        ? Math.max(x.low, y.low / roof.rate)
        : roof.rate / highest(memory, roof);
      const to = slanted
        ? Math.min(x.high, highest(compute, roof) / roof.rate)
        : x.high;
      const at = (slanted ? 1000 : 0) + plot.y(heightOf(roof, x.low));
      const hasLabel = taken.every(other => Math.abs(other - at) >= LINE);
      if (hasLabel) {
        taken.push(at);
      }
      return { roof, from, to, hasLabel };
    });
  }
}

interface IPlot {
  x: (value: number) => number;
  y: (value: number) => number;
}

function Frame(props: {
  x: IScale;
  y: IScale;
  plot: IPlot;
}): React.JSX.Element {
  const { plot } = props;
  const every = Math.ceil(props.y.ticks.length / 6);
  return (
    <>
      {props.y.ticks
        .filter((_, n) => n % every === 0)
        .map(tick => (
          <React.Fragment key={tick}>
            <line
              className="jp-KernelChart-grid"
              x1={`${LEFT}%`}
              x2="100%"
              y1={plot.y(tick)}
              y2={plot.y(tick)}
            />
            <text x={`${LEFT - 1}%`} y={plot.y(tick) + 4} textAnchor="end">
              {short(tick)}
            </text>
          </React.Fragment>
        ))}
      {props.x.ticks.map(tick => (
        <React.Fragment key={tick}>
          <line
            className="jp-KernelChart-axis"
            x1={percent(plot.x(tick))}
            x2={percent(plot.x(tick))}
            y1={BOTTOM}
            y2={BOTTOM + 4}
          />
          <text
            x={percent(plot.x(tick))}
            y={BOTTOM + 16}
            textAnchor={tick === props.x.high ? 'end' : 'middle'}
          >
            {formatNumber(tick)}
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

interface IRoofLineProps {
  mark: number;
  roof: IRoof;
  from: number;
  to: number;
  plot: IPlot;
}

function RoofLine(props: IRoofLineProps): React.JSX.Element {
  const { roof, plot, from, to } = props;
  const marked = useMark(props.mark);
  return (
    <g {...marked}>
      <line
        className={`jp-KernelChart-roof${roof.vendor ? ' jp-mod-vendor' : ''}`}
        x1={percent(plot.x(from))}
        x2={percent(plot.x(to))}
        y1={plot.y(heightOf(roof, from))}
        y2={plot.y(heightOf(roof, to))}
      />
    </g>
  );
}

interface IRoofLabelProps extends Omit<IRoofLineProps, 'mark'> {
  label: string;
  /** Where other labels are, in px. */
  taken: number[];
}

/** What a roof is: below its right end, or below a slope where there is room. */
function RoofLabel(props: IRoofLabelProps): React.JSX.Element {
  const { roof, plot, from, to, taken } = props;
  if (roof.unit === 'FLOP/s') {
    return (
      <text
        className="jp-mod-said"
        x="100%"
        y={plot.y(roof.rate) + BELOW}
        textAnchor="end"
      >
        {props.label}
      </text>
    );
  }
  const [at = from] = Array.from({ length: 11 }, (_, n) => 0.2 + n / 20)
    .map(part => from ** (1 - part) * to ** part)
    .sort((one, other) => room(other) - room(one));
  return (
    <svg
      x={percent(plot.x(at))}
      y={plot.y(heightOf(roof, at))}
      overflow="visible"
    >
      <text className="jp-mod-said" x="8" y={BELOW}>
        {props.label}
      </text>
    </svg>
  );

  function room(place: number): number {
    const label = plot.y(heightOf(roof, place)) + BELOW;
    return Math.min(...taken.map(other => Math.abs(other - label)));
  }
}

/** Where the label of a point goes: below it, and below a roof's label that is there. */
function besideRoofs(point: number, level: number[]): number {
  const wanted = point + BELOW_POINT;
  const near = level.filter(label => Math.abs(label - wanted) < LINE);
  return near.length > 0 ? Math.max(...near) + LINE : wanted;
}

function heightOf({ unit, rate }: IRoof, intensity: number): number {
  return unit === 'B/s' ? rate * intensity : rate;
}

interface IPointProps {
  mark: number;
  point: IPoint;
  x: number;
  y: number;
  /** Where labels of roofs stand, which reach from the right to the middle. */
  labels: number[];
}

function Point({ mark, point, x, y, labels }: IPointProps): React.JSX.Element {
  const right = x < 60;
  return (
    <g {...useMark(mark)}>
      <Mark kind={point.kind} x={x} y={y} />
      {point.kind === 'candidate' && (
        <svg x={percent(x)} y={y} overflow="visible">
          <text
            className="jp-mod-strong"
            x={right ? 10 : -10}
            y={besideRoofs(y, labels) - y}
            textAnchor={right ? 'start' : 'end'}
          >
            {point.label}
          </text>
        </svg>
      )}
    </g>
  );
}

/** The power of ten at or beyond a value. */
function decade(value: number, towards: (power: number) => number): number {
  return 10 ** towards(Math.log10(value));
}

/** "1 T", "100 G": a rate at a tick. */
function short(rate: number): string {
  return formatRate(rate, 'FLOP/s')
    .replace('FLOP/s', '')
    .replace(/\.0+(?= )/, '');
}
