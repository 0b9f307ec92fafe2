import * as React from 'react';
import {
  formatDuration,
  formatDurations,
  formatRate,
  formatShare
} from '../../report/format';
import {
  contestants,
  limitOf,
  nameOf,
  shareOf,
  type IContestant
} from '../../report/speed';
import type { IPrediction, IReport, IRoof } from '../../report/types';
import { Chart } from '../charts/chart';
import { Explore, useMark } from '../charts/explore';
import { kindOf, Mark, Roof } from '../charts/marks';
import { linear, type IScale } from '../charts/scale';
import { Roofline } from './roofline';
import { Section } from './section';
import { phaseName, roofName } from './speedwords';
import { useView } from './view';

const HEIGHT = 26;

/** How close the device lets any program come, and how close this one came. */
export function Limit({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const { trans } = useView();
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
  const times = formatDurations(programs.map(({ row }) => row.median_s));
  const values = [
    ...programs.map((one, n) =>
      trans.__(
        '%1: %2 of %3, %4',
        one.row.program,
        formatRate(rateOf(one), roof.unit),
        formatRate(roof.rate, roof.unit),
        times[n] ?? ''
      )
    ),
    ...predictions.map(one =>
      trans.__(
        '%1, %2: about %3, a prediction, not measured: %4',
        one.device,
        one.program,
        formatDuration(one.seconds, 2),
        one.assumptions
      )
    )
  ];
  return (
    <Section
      id="limit"
      name={trans.__('Limit')}
      conclusion={conclusion(
        programs[0],
        predictions.find(({ program }) => program === us)
      )}
    >
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
                    time={times[n] ?? ''}
                    share={
                      shareOf(limit, one.row.program, 'forward')?.share ?? 0
                    }
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
            {trainingShares()} {roofs()}
          </p>
          <p className="jp-KernelReport-note">
            {trans.__(
              'Readings up to about 1% over 100% mean “equal to the limit”, which is measured too.'
            )}
          </p>
        </div>
      </div>
    </Section>
  );

  function conclusion(
    ours: IContestant | undefined,
    predicted: IPrediction | undefined
  ): string {
    const share = ours && shareOf(limit ?? null, ours.row.program, 'forward');
    const parts = [
      roof.unit === 'B/s'
        ? trans.__('memory-bound')
        : trans.__('compute-bound'),
      share && ours?.row.role === 'candidate'
        ? trans.__('%1 of %2', formatShare(share.share), roofName(roof, trans))
        : ''
    ];
    const said = parts.filter(part => part !== '').join(', ');
    return predicted
      ? trans.__(
          '%1; %2 predicted at about %3',
          said,
          predicted.device,
          formatDuration(predicted.seconds, 2)
        )
      : said;
  }

  /** What a device would have to move, were its time as predicted. */
  function rateThen({ seconds }: IPrediction): number {
    return work / seconds;
  }

  /** "Roofs: device copy 4.25 TB/s; the vendor’s FP16 989 TFLOP/s, not measured." */
  function roofs(): string {
    const all = (limit?.roofs ?? []).map(one => {
      const rate = formatRate(one.rate, one.unit);
      return one.vendor
        ? trans.__('%1 %2, not measured', roofName(one, trans), rate)
        : trans.__('%1 %2', one.name, rate);
    });
    return trans.__('Roofs: %1.', all.join('; '));
  }

  /** "Backward: 99% of device copy. Training step: ..." */
  function trainingShares(): string {
    return (limit?.shares ?? [])
      .filter(({ program, phase }) => program === us && phase !== 'forward')
      .map(({ phase, share }) => {
        const other = limitOf(limit ?? null, phase);
        return trans.__(
          '%1: %2 of %3.',
          phaseName(phase, trans),
          formatShare(share),
          other ? roofName(other.roof, trans) : trans.__('the limit')
        );
      })
      .join(' ');
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
  share: number;
  title: string;
}

function Measured(props: IMeasuredProps): React.JSX.Element {
  const { trans } = useView();
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
        {one.isOther ? '–' : formatShare(props.share)}
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
  const { trans } = useView();
  const { one, scale } = props;
  const marked = useMark(props.mark);
  return (
    <tr {...marked} className={`${marked.className} jp-mod-limit`.trim()}>
      <th scope="row">
        {trans.__('%1, %2', one.device, one.program)}
        <br />
        <span className="jp-KernelReport-chip" title={one.assumptions}>
          {trans.__('prediction, not measured')}
        </span>
      </th>
      <td className="jp-mod-chart">
        <Chart height={HEIGHT} title={props.title}>
          <Line />
          <Mark kind="prediction" x={scale.at(props.rate)} y={HEIGHT / 2} />
        </Chart>
      </td>
      <td className="jp-mod-number">
        {trans.__('≈ %1', formatDuration(one.seconds, 2))}
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
