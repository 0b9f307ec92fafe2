/** Which arithmetic the largest error means: a row a program and a row an arithmetic, on one axis. */
import * as React from 'react';
import type { IPrecision } from '../../../model/types';
import { Chart, percent } from '../../../ui/charts/chart';
import { Mark, Peak, type MarkKind } from '../../../ui/charts/marks';
import { formatNumber } from '../../../ui/format';
import { ChartTable, type IChartRow } from '../../../ui/table';
import { useTrans } from '../../../ui/trans';
import { layout, type IBand, type IPrecisionLayout } from './layout';

const HEIGHT = 24;

export function Precision({
  precision
}: {
  precision: IPrecision;
}): React.JSX.Element | null {
  const trans = useTrans();
  const chart = layout(precision);
  if (!chart) {
    return null;
  }
  return (
    <div>
      <ChartTable
        label={trans.__('Precision')}
        caption={trans.__('Precision')}
        hint={trans.__(
          'the error furthest from fp32, case “%1”; left of the line passes',
          precision.case
        )}
        kind="intervals"
        columns={[
          { name: trans.__('Program, arithmetic') },
          { name: trans.__('Chart'), kind: 'chart', isNameHidden: true },
          { name: trans.__('Error'), kind: 'number' }
        ]}
        groups={[
          {
            name: '',
            rows: [
              {
                ...markRow(
                  trans.__('This kernel'),
                  'candidate',
                  chart.error,
                  precision.error,
                  chart
                ),
                kind: 'candidate'
              },
              markRow(
                trans.__('PyTorch'),
                'reference',
                chart.reference,
                precision.reference_error,
                chart
              ),
              ...chart.bands.map(band => bandRow(band, chart))
            ]
          }
        ]}
        foot={{
          title: trans.__('Axis of errors'),
          scale: chart.scale,
          label: tick => formatNumber(tick)
        }}
      />
      <p className="jp-KernelReport-note">{precision.words}</p>
    </div>
  );
}

function markRow(
  name: string,
  kind: MarkKind,
  x: number,
  error: string,
  chart: IPrecisionLayout
): IChartRow {
  const said = `${name}: ${error}`;
  return {
    name,
    cells: [
      <Chart height={HEIGHT} title={said}>
        {chart.bands.map((band, n) => (
          // Every other one, so that neighbours look different.
          <React.Fragment key={n}>
            {n % 2 === 0 && <Band band={band} height={HEIGHT} />}
          </React.Fragment>
        ))}
        <Peak x={chart.passes} height={HEIGHT} />
        <Mark kind={kind} x={x} y={HEIGHT / 2} />
      </Chart>,
      error
    ],
    said
  };
}

function bandRow(band: IBand, chart: IPrecisionLayout): IChartRow {
  const said = `${band.bound.name}: ${band.bound.shown}`;
  return {
    kind: 'limit',
    name: band.bound.name,
    cells: [
      <Chart height={HEIGHT} title={said}>
        <Band band={band} height={HEIGHT} />
        <Peak x={chart.passes} height={HEIGHT} />
      </Chart>,
      band.bound.shown
    ],
    said
  };
}

function Band({
  band,
  height
}: {
  band: IBand;
  height: number;
}): React.JSX.Element {
  return (
    <rect
      className="jp-KernelChart-band jp-mod-edged"
      x={percent(band.x)}
      y="0"
      width={percent(band.width)}
      height={height}
    />
  );
}
