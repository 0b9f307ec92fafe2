import * as React from 'react';
import { formatCount, formatDuration, formatRatio } from '../../ui/format';
import type { IReport, ISweepPoint } from '../../model/types';
import { Axis } from '../../ui/charts/axis';
import { Chart, percent } from '../../ui/charts/chart';
import { Explore, useMark } from '../../ui/charts/explore';
import { Mark } from '../../ui/charts/marks';
import {
  logarithmic,
  ratios,
  ratioTick,
  spaced,
  type IScale
} from '../../ui/charts/scale';
import { Section } from '../parts/section';
import { SpeedVerdict } from '../parts/speedVerdict';
import { useTrans } from '../../ui/trans';

const HEIGHT = 150;
/** Left of the points, for the labels of the ratios, in percent. */
const LEFT = 14;

/** The forward call over sizes: where the program wins, and where it loses. */
export function Sizes({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const timing = report.timing;
  if (!timing || timing.sweep.length === 0) {
    return null;
  }
  const points = timing.sweep;
  const conclusion = timing.sizes_conclusion;
  const values = points.map(point =>
    [
      `${point.shape}: ${against(point)}`,
      point.interval && trans.__('95% CI %1', point.interval),
      trans.__('%1 against %2', ours(point), theirs(point))
    ]
      .filter(part => part)
      .join(', ')
  );
  return (
    <Section id="sizes" name={trans.__('Sizes')} conclusion={conclusion}>
      <Explore label={trans.__('Speed over sizes')} values={values}>
        <figure className="jp-KernelReport-plot">
          <figcaption>
            {trans.__(
              'Ratio against PyTorch eager, over the number of elements'
            )}{' '}
            <small>
              {trans.__('both axes logarithmic; above the line is faster')}
            </small>
          </figcaption>
          <Curve
            points={points}
            title={conclusion || trans.__('Sizes')}
            desc={values.join('. ')}
          />
        </figure>
        <table className="jp-KernelReport-table">
          <thead>
            <tr>
              <th scope="col">{trans.__('Shape')}</th>
              <th scope="col" className="jp-mod-number">
                {trans.__('This kernel')}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('PyTorch eager')}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Against eager')}
              </th>
              <th scope="col">{trans.__('Verdict')}</th>
            </tr>
          </thead>
          <tbody>
            {points.map((point, n) => (
              <Row key={n} mark={n}>
                <th scope="row">
                  <code>{point.shape}</code>
                </th>
                <td className="jp-mod-number">{ours(point)}</td>
                <td className="jp-mod-number">{theirs(point)}</td>
                <td className="jp-mod-number">{against(point)}</td>
                <td className="jp-mod-result">
                  <SpeedVerdict verdict={point.verdict} />
                </td>
              </Row>
            ))}
          </tbody>
        </table>
      </Explore>
    </Section>
  );
}

function ours({ candidate_time, candidate_s }: ISweepPoint): string {
  return candidate_time || formatDuration(candidate_s);
}

function theirs({ reference_time, reference_s }: ISweepPoint): string {
  return reference_time || formatDuration(reference_s);
}

function against({ against, ratio }: ISweepPoint): string {
  return against || formatRatio(ratio);
}

function Row(props: {
  mark: number;
  children: React.ReactNode;
}): React.JSX.Element {
  return <tr {...useMark(props.mark)}>{props.children}</tr>;
}

interface ICurveProps {
  points: ISweepPoint[];
  title: string;
  desc: string;
}

function Curve({ points, title, desc }: ICurveProps): React.JSX.Element {
  const trans = useTrans();
  const sizes = points.map(({ elements }) => Math.max(1, elements));
  const x = logarithmic(Math.min(...sizes) / 2, Math.max(...sizes) * 2);
  // The scale runs from 0 at the bottom, y downwards.
  const span = Math.max(
    1.01,
    ...points.map(({ low, high }) => Math.max(high, 1 / low))
  );
  const y = spaced(ratios(span ** -1.2, span ** 1.2), 14, 1);
  const top = (ratio: number) => 8 + (1 - y.at(ratio) / 100) * (HEIGHT - 40);
  const right = (elements: number) =>
    LEFT + (x.at(elements) / 100) * (100 - LEFT);
  const first = Math.ceil(x.ticks.length / 8);
  const axis: IScale = {
    ...x,
    at: right,
    ticks: x.ticks.filter((_, n) => n % first === 0)
  };
  return (
    <Chart height={HEIGHT} title={title} desc={desc}>
      {y.ticks.map(tick => (
        <React.Fragment key={tick}>
          <line
            className={
              tick === 1 ? 'jp-KernelChart-roof' : 'jp-KernelChart-grid'
            }
            x1="0"
            x2="100%"
            y1={top(tick)}
            y2={top(tick)}
          />
          <text x="0" y={top(tick) - 3}>
            {tick === 1
              ? trans.__('same')
              : tick > 1
                ? trans.__('%1 faster', ratioTick(tick))
                : trans.__('%1 slower', ratioTick(tick))}
          </text>
        </React.Fragment>
      ))}
      {points.map((point, n) => (
        <Point
          key={n}
          mark={n}
          x={right(Math.max(1, point.elements))}
          y={top(point.ratio)}
          low={top(point.low)}
          high={top(point.high)}
          lost={point.verdict === 'SLOWER'}
        />
      ))}
      <Axis
        scale={axis}
        y={HEIGHT - 24}
        label={tick =>
          tick >= 1e4 ? `1e${Math.round(Math.log10(tick))}` : formatCount(tick)
        }
      />
    </Chart>
  );
}

interface IPointProps {
  mark: number;
  x: number;
  y: number;
  low: number;
  high: number;
  lost: boolean;
}

function Point(props: IPointProps): React.JSX.Element {
  const x = percent(props.x);
  return (
    <g {...useMark(props.mark)}>
      <line
        className="jp-KernelChart-candidate jp-mod-line"
        x1={x}
        x2={x}
        y1={props.low}
        y2={props.high}
      />
      <Mark kind="candidate" x={props.x} y={props.y} />
      {props.lost && (
        <svg x={x} y={props.y} overflow="visible">
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
