import * as React from 'react';
import { formatDuration, formatPercent, formatRate } from '../../ui/format';
import {
  contestants,
  limitOf,
  shareOf,
  type IContestant
} from '../../model/speed';
import type { IFloor, IReport, IRoof, ITiming } from '../../model/types';
import { Chart, percent } from '../../ui/charts/chart';
import { Explore, useMark } from '../../ui/charts/explore';
import { Bar, kindOf, Roof } from '../../ui/charts/marks';
import { linear, type IScale } from '../../ui/charts/scale';
import { SpeedVerdict } from '../parts/speedVerdict';
import { programName } from '../parts/labels';
import { upperFirst } from '../../ui/words';
import { useTrans } from '../../ui/trans';

const HEIGHT = 26;
const COLUMNS = 7;

/** A row as it is drawn, and as it is said. */
interface ILine {
  one: IContestant;
  time: string;
  against: string;
  rate: number | null;
  rateWords: string;
  share: string;
}

/** Every program's forward call: what it takes, against the reference and the limit. */
export function Times({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { timing } = report;
  const programs = timing ? contestants(timing, 'forward', 'cold') : [];
  if (!timing || programs.length === 0) {
    return null;
  }
  const limit = limitOf(timing.limit, 'forward');
  const lines = linesOf(timing, programs, limit);
  const scale = limit
    ? linear(
        0,
        Math.max(limit.roof.rate, ...lines.map(({ rate }) => rate ?? 0))
      )
    : linear(0, Math.max(...programs.map(({ row }) => row.median_s)));
  const fair = lines.filter(({ one }) => !one.isOther);
  const others = lines.filter(({ one }) => one.isOther);
  const memory = limit?.roof.unit !== 'FLOP/s';
  return (
    <div className="jp-KernelReport-body jp-KernelReport-times">
      <Explore
        label={trans.__('Times')}
        values={[...lines.map(said), ...limitSaid()]}
      >
        <table className="jp-KernelReport-table">
          <caption>
            {trans.__('Forward, one call')}{' '}
            <small>
              {[
                trans.__('median'),
                limit?.floor.work,
                limit
                  ? trans.__(
                      'bars are %1 from 0, the line is %2',
                      memory ? trans.__('bandwidth') : trans.__('the rate'),
                      limit.roof.full_name || limit.roof.name
                    )
                  : trans.__('bars are time from 0, shorter is faster')
              ]
                .filter(part => part)
                .join('; ')}
            </small>
          </caption>
          <thead>
            <tr>
              <th scope="col">{trans.__('Program')}</th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Time')}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Against eager')}
              </th>
              <th scope="col">{trans.__('Verdict')}</th>
              <th scope="col" className="jp-mod-chart">
                <span className="jp-KernelReport-hidden">
                  {trans.__('Chart')}
                </span>
              </th>
              <th scope="col" className="jp-mod-number jp-mod-wide">
                {memory ? trans.__('Bandwidth') : trans.__('Rate')}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Of limit')}
              </th>
            </tr>
          </thead>
          <tbody>
            {fair.map((line, n) => (
              <Line
                key={n}
                mark={n}
                line={line}
                scale={scale}
                roof={limit?.roof}
              />
            ))}
            {limit && (
              <LimitLine mark={lines.length} limit={limit} scale={scale} />
            )}
          </tbody>
          {others.length > 0 && (
            <tbody>
              <tr className="jp-mod-group">
                <th colSpan={COLUMNS} scope="rowgroup">
                  {trans.__(
                    'Other arithmetic: shown for orientation, no verdict, because the results differ'
                  )}
                </th>
              </tr>
              {others.map((line, n) => (
                <Line
                  key={n}
                  mark={fair.length + n}
                  line={line}
                  scale={scale}
                  roof={limit?.roof}
                />
              ))}
            </tbody>
          )}
        </table>
      </Explore>
    </div>
  );

  function linesOf(
    { limit: all }: ITiming,
    rows: IContestant[],
    found: ReturnType<typeof limitOf>
  ): ILine[] {
    return rows.map(one => {
      const { row } = one;
      const share = shareOf(all, row.program, 'forward');
      return {
        one,
        time: row.time || formatDuration(row.median_s),
        against: row.against,
        rate: found && share ? share.rate : null,
        rateWords:
          found && share
            ? share.rate_words || formatRate(share.rate, found.roof.unit)
            : '',
        // The limit is that of the reference's accuracy.
        share:
          found && share && !one.isOther
            ? share.percent || formatPercent(share.share)
            : ''
      };
    });
  }

  function said({ one, time, against, rateWords, share }: ILine): string {
    return [
      trans.__('%1: %2', programName(one), time),
      against,
      one.speed?.verdict ?? '',
      one.speed?.note ?? '',
      rateWords,
      share && trans.__('of limit %1', share)
    ]
      .filter(part => part !== '')
      .join(', ');
  }

  function limitSaid(): string[] {
    return limit
      ? [
          trans.__(
            'Limit: %1, %2',
            limit.roof.full_name || limit.roof.name,
            limit.roof.rate_words ||
              formatRate(limit.roof.rate, limit.roof.unit)
          )
        ]
      : [];
  }
}

interface ILineProps {
  mark: number;
  line: ILine;
  scale: IScale;
  roof: IRoof | undefined;
}

function Line({ mark, line, scale, roof }: ILineProps): React.JSX.Element {
  const marked = useMark(mark);
  const { one } = line;
  const { row, speed, isOther } = one;
  const ours = row.role === 'candidate' ? 'jp-mod-candidate' : '';
  return (
    <tr {...marked} className={`${marked.className} ${ours}`.trim()}>
      <th scope="row">{programName(one)}</th>
      <td className="jp-mod-number">{line.time}</td>
      <td className="jp-mod-number">{line.against}</td>
      <td className="jp-mod-result">
        <SpeedVerdict verdict={speed?.verdict ?? null} />
      </td>
      <td className="jp-mod-chart">
        <Chart height={HEIGHT} title={line.rateWords || line.time}>
          <Bar
            kind={kindOf(row.role, isOther)}
            to={scale.at(roof ? (line.rate ?? 0) : row.median_s)}
            y={HEIGHT / 2}
          />
          {roof && (
            <Roof
              x={scale.at(roof.rate)}
              height={HEIGHT}
              vendor={roof.vendor}
            />
          )}
        </Chart>
      </td>
      <td className="jp-mod-number jp-mod-wide">{line.rateWords}</td>
      <td className="jp-mod-number">{line.share}</td>
    </tr>
  );
}

interface ILimitLineProps {
  mark: number;
  limit: { floor: IFloor; roof: IRoof };
  scale: IScale;
}

function LimitLine(props: ILimitLineProps): React.JSX.Element {
  const trans = useTrans();
  const { mark, limit, scale } = props;
  const marked = useMark(mark);
  const { floor, roof } = limit;
  const rate = roof.rate_words || formatRate(roof.rate, roof.unit);
  const x = percent(scale.at(roof.rate));
  return (
    <tr {...marked} className={`${marked.className} jp-mod-limit`.trim()}>
      <th scope="row">
        {trans.__('%1 (the limit)', upperFirst(roof.full_name || roof.name))}
      </th>
      <td className="jp-mod-number">
        {floor.time || formatDuration(floor.seconds)}
      </td>
      <td />
      <td />
      <td className="jp-mod-chart">
        <Chart height={HEIGHT} title={rate}>
          <line className="jp-KernelChart-axis" x1="0" x2={x} y1="13" y2="13" />
          <Roof x={scale.at(roof.rate)} height={HEIGHT} vendor={roof.vendor} />
        </Chart>
      </td>
      <td className="jp-mod-number jp-mod-wide">{rate}</td>
      <td className="jp-mod-number">{trans.__('100%')}</td>
    </tr>
  );
}
