import * as React from 'react';
import { formatDuration, formatPercent, formatRate } from '../../ui/format';
import {
  contestants,
  limitOf,
  nameOf,
  shareOf,
  type IContestant
} from '../../model/speed';
import type { IPrediction, IReport, IRoof, IShare } from '../../model/types';
import { Chart } from '../../ui/charts/chart';
import { Explore, useMark } from '../../ui/charts/explore';
import { kindOf, Mark, Roof } from '../../ui/charts/marks';
import { linear, type IScale } from '../../ui/charts/scale';
import { Roofline } from './roofline';
import { Section } from '../parts/section';
import { phaseName } from '../parts/labels';
import { useTrans } from '../../ui/trans';

const HEIGHT = 26;

/** How close the device lets any program come, and how close this one came. */
export function Limit({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { timing } = report;
  const limit = timing?.limit;
  const found = limitOf(limit ?? null, 'forward');
  if (!timing || !limit || !found) {
    return null;
  }
  const { roof, floor } = found;
  const us = nameOf(timing, 'candidate');
  const programs = contestants(timing, 'forward', 'cold').filter(({ row }) =>
    shareOf(limit, row.program, 'forward')
  );
  const rateOf = ({ row }: IContestant) =>
    shareOf(limit, row.program, 'forward')?.rate ?? 0;
  const work = roof.unit === 'B/s' ? floor.bytes : floor.flops;
  const predictions = limit.predictions.filter(
    ({ phase, seconds }) => phase === 'forward' && seconds > 0
  );
  const scale = linear(
    0,
    Math.max(roof.rate, ...programs.map(rateOf), ...predictions.map(rateThen))
  );
  const timeOf = ({ row }: IContestant) =>
    row.time || formatDuration(row.median_s);
  const values = [
    ...programs.map(one =>
      [
        `${one.row.program}: ${timeOf(one)}`,
        shareOf(limit, one.row.program, 'forward')?.words
      ]
        .filter(part => part)
        .join(', ')
    ),
    ...predictions.map(
      one =>
        `${one.device}, ${one.program}: ${one.words || trans.__('prediction')}: ${one.assumptions}`
    )
  ];
  return (
    <Section id="limit" name={trans.__('Limit')} conclusion={limit.conclusion}>
      <div className="jp-KernelReport-columns jp-mod-even">
        <Roofline timing={timing} />
        <div>
          <Explore label={trans.__('Share of the limit')} values={values}>
            <table className="jp-KernelReport-table">
              <caption>
                {trans.__('Share of the limit')}{' '}
                <small>
                  {trans.__('0 to %1', formatRate(scale.high, roof.unit))}
                </small>
              </caption>
              <thead>
                <tr>
                  <th scope="col">{trans.__('Device, program')}</th>
                  <th scope="col" className="jp-mod-chart">
                    <span className="jp-KernelReport-hidden">
                      {trans.__('Chart')}
                    </span>
                  </th>
                  <th scope="col" className="jp-mod-number">
                    {trans.__('Time')}
                  </th>
                  <th scope="col" className="jp-mod-number">
                    {trans.__('Of limit')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {programs.map((one, n) => (
                  <Measured
                    key={n}
                    mark={n}
                    one={one}
                    device={report.device.name}
                    rate={rateOf(one)}
                    roof={roof}
                    scale={scale}
                    time={timeOf(one)}
                    share={shareOf(limit, one.row.program, 'forward')}
                    title={values[n] ?? ''}
                  />
                ))}
                {predictions.map((one, n) => (
                  <Predicted
                    key={n}
                    mark={programs.length + n}
                    one={one}
                    rate={rateThen(one)}
                    scale={scale}
                    title={values[programs.length + n] ?? ''}
                  />
                ))}
              </tbody>
            </table>
          </Explore>
          {predictions.map((one, n) => (
            <p key={n} className="jp-KernelReport-note">
              {trans.__(
                'Prediction for %1, %2: %3.',
                one.device,
                one.program,
                one.assumptions
              )}
            </p>
          ))}
          <p className="jp-KernelReport-note">
            {[...trainingShares(), ...roofs()].join('; ')}
          </p>
          {limit.note && <p className="jp-KernelReport-note">{limit.note}</p>}
        </div>
      </div>
    </Section>
  );

  /** What a device would have to move, were its time as predicted. */
  function rateThen({ seconds }: IPrediction): number {
    return work / seconds;
  }

  /** "device copy, measured here: 4.25 TB/s", "FP16, vendor: 989 TFLOP/s". */
  function roofs(): string[] {
    return (limit?.roofs ?? []).map(
      one =>
        `${one.label || one.name}: ${one.rate_words || formatRate(one.rate, one.unit)}`
    );
  }

  /** "Backward: 99% of the limit, 4.21 TB/s". */
  function trainingShares(): string[] {
    return (limit?.shares ?? [])
      .filter(({ program, phase }) => program === us && phase !== 'forward')
      .map(
        ({ phase, share, words }) =>
          `${phaseName(phase, trans)}: ${words || formatPercent(share)}`
      );
  }
}

interface IMeasuredProps {
  mark: number;
  one: IContestant;
  device: string;
  rate: number;
  roof: IRoof;
  scale: IScale;
  time: string;
  share: IShare | null;
  title: string;
}

function Measured(props: IMeasuredProps): React.JSX.Element {
  const trans = useTrans();
  const { one, roof, scale } = props;
  const marked = useMark(props.mark);
  const ours = one.row.role === 'candidate' ? 'jp-mod-candidate' : '';
  return (
    <tr {...marked} className={`${marked.className} ${ours}`.trim()}>
      <th scope="row">{trans.__('%1, %2', props.device, one.row.program)}</th>
      <td className="jp-mod-chart">
        <Chart height={HEIGHT} title={props.title}>
          <Line />
          <Roof x={scale.at(roof.rate)} height={HEIGHT} vendor={roof.vendor} />
          <Mark
            kind={kindOf(one.row.role, one.isOther)}
            x={scale.at(props.rate)}
            y={HEIGHT / 2}
          />
        </Chart>
      </td>
      <td className="jp-mod-number">{props.time}</td>
      <td className="jp-mod-number">
        {one.isOther || !props.share
          ? '–'
          : props.share.percent || formatPercent(props.share.share)}
      </td>
    </tr>
  );
}

interface IPredictedProps {
  mark: number;
  one: IPrediction;
  rate: number;
  scale: IScale;
  title: string;
}

/** A device that is not here: dashed, with a chip, and no share. */
function Predicted(props: IPredictedProps): React.JSX.Element {
  const trans = useTrans();
  const { one, scale } = props;
  const marked = useMark(props.mark);
  return (
    <tr {...marked} className={`${marked.className} jp-mod-limit`.trim()}>
      <th scope="row">
        {trans.__('%1, %2', one.device, one.program)}
        <br />
        <span className="jp-KernelReport-chip" title={one.assumptions}>
          {trans.__('prediction')}
        </span>
      </th>
      <td className="jp-mod-chart">
        <Chart height={HEIGHT} title={props.title}>
          <Line />
          <Mark kind="prediction" x={scale.at(props.rate)} y={HEIGHT / 2} />
        </Chart>
      </td>
      <td className="jp-mod-number">
        {one.time || formatDuration(one.seconds, 2)}
      </td>
      <td className="jp-mod-number">–</td>
    </tr>
  );
}

function Line(): React.JSX.Element {
  return (
    <line
      className="jp-KernelChart-axis"
      x1="0"
      x2="100%"
      y1={HEIGHT / 2}
      y2={HEIGHT / 2}
    />
  );
}
