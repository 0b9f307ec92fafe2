/** Every program's forward call: what it takes, against the reference and the limit. */
import * as React from 'react';
import type { IReport } from '../../model/types';
import { Chart, percent } from '../../ui/charts/chart';
import { Bar, kindOf, Peak } from '../../ui/charts/marks';
import { ChartTable, type IChartRow, type IColumn } from '../../ui/table';
import { useTrans, type Trans } from '../../ui/trans';
import { upperFirst } from '../../ui/words';
import { programName, rateOf, timeOf } from '../parts/labels';
import { SpeedVerdict } from '../parts/speedVerdict';
import { layout, type IBar, type ITimesLayout } from './layout';

const HEIGHT = 26;

export function Times({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { timing } = report;
  const chart = timing && layout(timing);
  if (!chart) {
    return null;
  }
  const { bars, limit } = chart;
  const row = (bar: IBar) => programRow(bar, limit, trans);
  const others = bars.filter(({ one }) => one.isOther).map(row);
  return (
    <div className="jp-KernelReport-body jp-KernelReport-times">
      <ChartTable
        label={trans.__('Times')}
        caption={trans.__('Forward, one call')}
        hint={hint(limit, trans)}
        columns={columns(limit, trans)}
        groups={[
          {
            name: '',
            rows: [
              ...bars.filter(({ one }) => !one.isOther).map(row),
              ...(limit ? [limitRow(limit, trans)] : [])
            ]
          },
          {
            name: trans.__(
              'Other arithmetic: shown for orientation, no verdict, because the results differ'
            ),
            rows: others
          }
        ].filter(({ rows }) => rows.length > 0)}
      />
    </div>
  );
}

type Limit = ITimesLayout['limit'];

function isOfMemory(limit: Limit): boolean {
  return limit?.peak.unit !== 'FLOP/s';
}

function hint(limit: Limit, trans: Trans): string {
  return [
    trans.__('median'),
    limit?.bound.work,
    limit
      ? trans.__(
          'bars are %1 from 0, the line is %2',
          isOfMemory(limit) ? trans.__('bandwidth') : trans.__('the rate'),
          limit.peak.full_name || limit.peak.name
        )
      : trans.__('bars are time from 0, shorter is faster')
  ]
    .filter(part => part)
    .join('; ');
}

function columns(limit: Limit, trans: Trans): IColumn[] {
  return [
    { name: trans.__('Program') },
    { name: trans.__('Time'), kind: 'number' },
    { name: trans.__('Against eager'), kind: 'number' },
    { name: trans.__('Verdict'), kind: 'result' },
    { name: trans.__('Chart'), kind: 'chart', isNameHidden: true },
    {
      name: isOfMemory(limit) ? trans.__('Bandwidth') : trans.__('Rate'),
      kind: 'number',
      isWide: true
    },
    { name: trans.__('Of limit'), kind: 'number' }
  ];
}

function programRow(bar: IBar, limit: Limit, trans: Trans): IChartRow {
  const { one, share } = bar;
  const { row, speed, isOther } = one;
  const time = timeOf(one);
  const rate = limit && share ? share.rate_words : '';
  // The limit is that of the reference's accuracy.
  const part = share && !isOther ? share.percent : '';
  return {
    kind: row.role === 'candidate' ? 'candidate' : undefined,
    name: programName(one),
    cells: [
      time,
      row.against,
      <SpeedVerdict verdict={speed?.verdict ?? null} />,
      <Chart height={HEIGHT} title={rate || time}>
        <Bar kind={kindOf(row.role, isOther)} to={bar.to} y={HEIGHT / 2} />
        {limit && (
          <Peak x={limit.x} height={HEIGHT} vendor={limit.peak.vendor} />
        )}
      </Chart>,
      rate,
      part
    ],
    said: [
      trans.__('%1: %2', programName(one), time),
      row.against,
      speed?.verdict ?? '',
      speed?.note ?? '',
      rate,
      part && trans.__('of limit %1', part)
    ]
      .filter(words => words !== '')
      .join(', ')
  };
}

function limitRow(
  { bound, peak, x }: NonNullable<Limit>,
  trans: Trans
): IChartRow {
  const rate = rateOf(peak);
  const name = peak.full_name || peak.name;
  return {
    kind: 'limit',
    name: trans.__('%1 (the limit)', upperFirst(name)),
    cells: [
      bound.time,
      '',
      '',
      <Chart height={HEIGHT} title={rate}>
        <line
          className="jp-KernelChart-axis"
          x1="0"
          x2={percent(x)}
          y1="13"
          y2="13"
        />
        <Peak x={x} height={HEIGHT} vendor={peak.vendor} />
      </Chart>,
      rate,
      trans.__('100%')
    ],
    said: trans.__('Limit: %1, %2', name, rate)
  };
}
