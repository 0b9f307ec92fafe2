import * as React from 'react';
import {
  formatDuration,
  formatRatio,
  formatSignificant,
  timeUnit
} from '../../ui/format';
import {
  CIRCUMSTANCES,
  contestants,
  nameOf,
  type IContestant
} from '../../model/speed';
import type { IReport, ITiming } from '../../model/types';
import { Axis } from '../../ui/charts/axis';
import { Chart } from '../../ui/charts/chart';
import { Explore, useMark } from '../../ui/charts/explore';
import { Interval, kindOf, NoiseBand } from '../../ui/charts/marks';
import {
  linear,
  ratios,
  ratioTick,
  spaced,
  type IScale
} from '../../ui/charts/scale';
import { Strip } from '../../ui/charts/strip';
import { Clocks } from './clocks';
import { Section } from '../parts/section';
import { SpeedVerdict } from '../parts/speedVerdict';
import { circumstanceName, programName } from '../parts/labels';
import { useTrans } from '../../ui/trans';

/** Dots of all strips together. */
const MAX_DOTS = 900;
/** Programs that lie further from the candidate are written at the edge. */
const NEAR = 1.1;
const ROW = 26;

/** How the times were taken, and how far they can be trusted. */
export function TimingSection({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { timing } = report;
  if (!timing || (timing.rows.length === 0 && timing.note === '')) {
    return null;
  }
  const unclear = timing.clocks.some(({ agrees }) => !agrees);
  return (
    <Section
      id="timing"
      name={trans.__('Timing')}
      conclusion={timing.conclusion || timing.note}
      failing={unclear}
    >
      {timing.rows.length === 0 ? (
        <p className="jp-KernelReport-note">{timing.note}</p>
      ) : (
        <div className="jp-KernelReport-stack">
          <Samples timing={timing} />
          <div className="jp-KernelReport-columns jp-mod-even">
            <Intervals timing={timing} />
            <Clocks timing={timing} />
          </div>
          <Circumstances timing={timing} />
          <p className="jp-KernelReport-note">
            {[timing.conditions, timing.note]
              .filter(part => part !== '')
              .join('; ')}
          </p>
        </div>
      )}
    </Section>
  );
}

function Samples({ timing }: { timing: ITiming }): React.JSX.Element | null {
  const trans = useTrans();
  const programs = contestants(timing, 'forward', 'cold');
  if (programs.length === 0) {
    return null;
  }
  const times = programs.map(timeOf);
  const scale = sampleScale(programs);
  const [unit, second] = timeUnit(scale.high);
  const tick = (value: number) =>
    // As many digits as tell the ticks apart.
    formatSignificant(
      value / second,
      1 +
        Math.max(
          2,
          Math.ceil(Math.log10(scale.high / (scale.high - scale.low)))
        )
    );
  const values = programs.map(({ row }, n) =>
    trans.__(
      '%1: median %2, interquartile range %3 to %4, %5',
      row.program,
      times[n] ?? '',
      formatDuration(row.q1_s, 4),
      formatDuration(row.q3_s, 4),
      trans._n('%1 sample', '%1 samples', row.n)
    )
  );
  return (
    <div>
      <Explore label={trans.__('All samples')} values={values}>
        <table className="jp-KernelReport-table jp-mod-strips">
          <caption>
            {trans.__('All samples')}{' '}
            <small>
              {trans.__(
                'interleaved; dots: samples, tall line: median, short bar: interquartile range (IQR)'
              )}
            </small>
          </caption>
          <thead>
            <tr>
              <th scope="col">{trans.__('Program')}</th>
              <th scope="col" className="jp-mod-chart">
                {scale.low > 0
                  ? trans.__(
                      'Time per call, %1; axis starts at %2',
                      unit,
                      tick(scale.low)
                    )
                  : trans.__('Time per call, %1', unit)}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Median')}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('IQR')}
              </th>
            </tr>
          </thead>
          <tbody>
            {programs.map((one, n) => (
              <Row key={n} mark={n} one={one}>
                <td className="jp-mod-chart">
                  <Strip
                    row={one.row}
                    kind={kindOf(one.row.role, one.isOther)}
                    scale={scale}
                    dots={Math.floor(MAX_DOTS / programs.length)}
                    title={trans.__(
                      '%1, median %2',
                      trans._n('%1 sample', '%1 samples', one.row.n),
                      times[n] ?? ''
                    )}
                    desc={values[n] ?? ''}
                    off={trans.__('%1, off the axis', times[n] ?? '')}
                  />
                </td>
                <td className="jp-mod-number">{times[n]}</td>
                <td className="jp-mod-number">
                  {one.row.iqr ||
                    formatDuration(one.row.q3_s - one.row.q1_s, 2)}
                </td>
              </Row>
            ))}
          </tbody>
          <Foot
            after={2}
            title={trans.__(
              'Axis from %1 to %2 %3',
              tick(scale.low),
              tick(scale.high),
              unit
            )}
            scale={scale}
            label={tick}
          />
        </table>
      </Explore>
    </div>
  );
}

/** Around the candidate and what lies near it; around all where nothing does. */
function sampleScale(programs: IContestant[]): IScale {
  const ours = programs[0]?.row.median_s ?? 0;
  const near = programs.filter(
    ({ row }) => row.median_s < ours * NEAR && row.median_s > ours / NEAR
  );
  const shown = near.length > 1 ? near : programs;
  // A few samples far out must not press all others into one line.
  const ends = shown.flatMap(({ row }) => {
    const reach = 6 * (row.q3_s - row.q1_s);
    const inside = row.samples_s.filter(
      sample => sample > row.q1_s - reach && sample < row.q3_s + reach
    );
    return [Math.min(row.q1_s, ...inside), Math.max(row.q3_s, ...inside)];
  });
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return high > low ? linear(low, high) : linear(low * 0.9, high * 1.1 || 1);
}

function Intervals({ timing }: { timing: ITiming }): React.JSX.Element | null {
  const trans = useTrans();
  const compared = contestants(timing, 'forward', 'cold').filter(
    ({ speed, isOther }) => speed && !isOther
  );
  const speeds = compared.flatMap(({ speed }) => (speed ? [speed] : []));
  if (speeds.length === 0) {
    return null;
  }
  const reference = nameOf(timing, 'reference') ?? trans.__('reference');
  const band = Math.max(...speeds.map(one => one.band));
  const span = Math.max(
    ...speeds.flatMap(({ low, high }) => [high, 1 / low, band])
  );
  // To scale on both sides of "same": a gain and a loss get equal lengths.
  const low = Math.min(1 / band, ...speeds.map(one => one.low));
  const high = Math.max(band, ...speeds.map(one => one.high));
  const room = span ** 0.15;
  const scale = ratios(low / room, high * room);
  const values = compared.map(one =>
    [
      `${one.row.program}: ${ratioOf(one)}`,
      one.speed?.interval && trans.__('95% CI %1', one.speed.interval)
    ]
      .filter(part => part)
      .join(', ')
  );
  const itself = trans.__('noise band, %1', formatRatio(band, 4));
  return (
    <div>
      <Explore
        label={trans.__('Ratio of medians')}
        values={[
          ...values,
          trans.__('%1 against itself: %2', reference, itself)
        ]}
      >
        <table className="jp-KernelReport-table jp-mod-intervals">
          <caption>
            {trans.__('Ratio of medians, 95% CI')}{' '}
            <small>{trans.__('against %1', reference)}</small>
          </caption>
          <thead>
            <tr>
              <th scope="col">{trans.__('Program')}</th>
              <th scope="col" className="jp-mod-chart">
                <span className="jp-KernelReport-hidden">
                  {trans.__('Chart')}
                </span>
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Ratio')}
              </th>
              <th scope="col">{trans.__('Verdict')}</th>
            </tr>
          </thead>
          <tbody>
            {compared.map((one, n) => (
              <Row key={n} mark={n} one={one}>
                <td className="jp-mod-chart">
                  <Chart
                    height={ROW}
                    title={ratioOf(one)}
                    desc={values[n] ?? ''}
                  >
                    <NoiseBand scale={scale} band={band} height={ROW} />
                    <Interval
                      kind={kindOf(one.row.role, false)}
                      scale={scale}
                      low={one.speed?.low ?? 1}
                      middle={one.speed?.ratio ?? 1}
                      high={one.speed?.high ?? 1}
                      y={ROW / 2}
                    />
                  </Chart>
                </td>
                <td className="jp-mod-number">{ratioOf(one)}</td>
                <td className="jp-mod-result">
                  <SpeedVerdict verdict={one.speed?.verdict ?? null} />
                </td>
              </Row>
            ))}
            <BandRow
              mark={speeds.length}
              name={trans.__('%1 against itself', reference)}
              title={itself}
              scale={scale}
              band={band}
            />
          </tbody>
          <Foot
            after={2}
            title={trans.__('Axis of ratios')}
            scale={spaced(scale, 20, 1)}
            label={tick => (tick === 1 ? trans.__('same') : ratioTick(tick))}
          />
        </table>
      </Explore>
      <p className="jp-KernelReport-note">
        {trans.__(
          'FASTER needs the whole interval to lie right of the grey noise band, SLOWER left of it.'
        )}
      </p>
    </div>
  );
}

interface IBandRowProps {
  mark: number;
  name: string;
  title: string;
  scale: IScale;
  band: number;
}

function BandRow(props: IBandRowProps): React.JSX.Element {
  const trans = useTrans();
  const { scale, band } = props;
  const marked = useMark(props.mark);
  return (
    <tr {...marked} className={`${marked.className} jp-mod-limit`.trim()}>
      <th scope="row">{props.name}</th>
      <td className="jp-mod-chart">
        <Chart height={ROW} title={props.title}>
          <NoiseBand scale={scale} band={band} height={ROW} />
          <Interval
            kind="reference"
            scale={scale}
            low={1 / band}
            middle={1}
            high={band}
            y={ROW / 2}
          />
        </Chart>
      </td>
      <td className="jp-mod-number">{formatRatio(band, 4)}</td>
      <td>{trans.__('noise band')}</td>
    </tr>
  );
}

/** The forward call as it was, and as it is where the caches or Python matter less. */
function Circumstances({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const found = CIRCUMSTANCES.map(circumstance => {
    const programs = contestants(timing, 'forward', circumstance);
    return {
      circumstance,
      ours: programs.find(({ row }) => row.role === 'candidate'),
      theirs: programs.find(({ row }) => row.role === 'reference')
    };
  }).flatMap(({ ours, theirs, ...rest }) =>
    ours && theirs ? [{ ours, theirs, ...rest }] : []
  );
  if (found.length < 2) {
    return null;
  }
  const name = trans.__('Circumstances');
  return (
    <div
      className="jp-KernelReport-scroll"
      role="group"
      aria-label={name}
      tabIndex={0}
    >
      <table className="jp-KernelReport-table">
        <caption>
          {name}{' '}
          <small>{trans.__('the verdict speaks of the cold call')}</small>
        </caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('Forward')}</th>
            <th scope="col" className="jp-mod-number">
              {trans.__('This kernel')}
            </th>
            <th scope="col" className="jp-mod-number">
              {nameOf(timing, 'reference')}
            </th>
            <th scope="col" className="jp-mod-number">
              {trans.__('Against eager')}
            </th>
            <th scope="col">{trans.__('Verdict')}</th>
          </tr>
        </thead>
        <tbody>
          {found.map(({ circumstance, ours, theirs }) => (
            <tr key={circumstance}>
              <th scope="row">{circumstanceName(circumstance, trans)}</th>
              <td className="jp-mod-number">{timeOf(ours)}</td>
              <td className="jp-mod-number">{timeOf(theirs)}</td>
              <td className="jp-mod-number">{ours.row.against}</td>
              <td className="jp-mod-result">
                <SpeedVerdict verdict={ours.speed?.verdict ?? null} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function timeOf({ row }: IContestant): string {
  return row.time || formatDuration(row.median_s);
}

function ratioOf({ row, speed }: IContestant): string {
  return row.against || formatRatio(speed?.ratio ?? 1);
}

interface IRowProps {
  mark: number;
  one: IContestant;
  children: React.ReactNode;
}

function Row({ mark, one, children }: IRowProps): React.JSX.Element {
  const marked = useMark(mark);
  const ours = one.row.role === 'candidate' ? 'jp-mod-candidate' : '';
  return (
    <tr {...marked} className={`${marked.className} ${ours}`.trim()}>
      <th scope="row">{programName(one)}</th>
      {children}
    </tr>
  );
}

interface IFootProps {
  /** Columns after the chart. */
  after: number;
  title: string;
  scale: IScale;
  label: (tick: number) => string;
}

/** The axis under a column of charts. */
function Foot({ after, title, scale, label }: IFootProps): React.JSX.Element {
  return (
    <tfoot>
      <tr>
        <td />
        <td className="jp-mod-chart">
          <Chart height={20} title={title}>
            <Axis scale={scale} y={1} label={label} />
          </Chart>
        </td>
        <td colSpan={after} />
      </tr>
    </tfoot>
  );
}
