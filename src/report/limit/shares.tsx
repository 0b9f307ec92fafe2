/** The share of the limit that each program reached, and what is predicted for other devices. */
import * as React from 'react';
import { Chart } from '../../ui/charts/chart';
import { kindOf, Mark, Peak } from '../../ui/charts/marks';
import { formatDuration, formatPercent, formatRate } from '../../ui/format';
import { ChartTable, type IChartRow } from '../../ui/table';
import { useTrans, type Trans } from '../../ui/trans';
import { timeOf } from '../parts/labels';
import type { IMeasured, IPredicted, ISharesLayout } from './layout';

const HEIGHT = 26;

interface ISharesProps {
  /** The name of the device that was measured. */
  device: string;
  chart: ISharesLayout;
}

export function Shares({ device, chart }: ISharesProps): React.JSX.Element {
  const trans = useTrans();
  const { peak, scale } = chart;
  return (
    <ChartTable
      label={trans.__('Share of the limit')}
      caption={trans.__('Share of the limit')}
      hint={trans.__('0 to %1', formatRate(scale.high, peak.unit))}
      columns={[
        { name: trans.__('Device, program') },
        { name: trans.__('Chart'), kind: 'chart', isNameHidden: true },
        { name: trans.__('Time'), kind: 'number' },
        { name: trans.__('Of limit'), kind: 'number' }
      ]}
      groups={[
        {
          name: '',
          rows: [
            ...chart.measured.map(one =>
              measuredRow(one, device, chart, trans)
            ),
            ...chart.predicted.map(one => predictedRow(one, trans))
          ]
        }
      ]}
    />
  );
}

function measuredRow(
  { one, share, x }: IMeasured,
  device: string,
  { peak, peakX }: ISharesLayout,
  trans: Trans
): IChartRow {
  const { row, isOther } = one;
  const time = timeOf(one);
  const said = [`${row.program}: ${time}`, share.words]
    .filter(part => part)
    .join(', ');
  return {
    kind: row.role === 'candidate' ? 'candidate' : undefined,
    name: trans.__('%1, %2', device, row.program),
    cells: [
      <Chart height={HEIGHT} title={said}>
        <Line />
        <Peak x={peakX} height={HEIGHT} vendor={peak.vendor} />
        <Mark kind={kindOf(row.role, isOther)} x={x} y={HEIGHT / 2} />
      </Chart>,
      time,
      isOther ? '–' : share.percent || formatPercent(share.share)
    ],
    said
  };
}

/** A device that is not here: dashed, with a chip, and no share. */
function predictedRow({ one, x }: IPredicted, trans: Trans): IChartRow {
  const { device, program, assumptions } = one;
  const said = `${device}, ${program}: ${one.words || trans.__('prediction')}: ${assumptions}`;
  return {
    kind: 'limit',
    name: (
      <>
        {trans.__('%1, %2', device, program)}
        <br />
        <span className="jp-KernelReport-chip" title={assumptions}>
          {trans.__('prediction')}
        </span>
      </>
    ),
    cells: [
      <Chart height={HEIGHT} title={said}>
        <Line />
        <Mark kind="prediction" x={x} y={HEIGHT / 2} />
      </Chart>,
      one.time || formatDuration(one.seconds, 2),
      '–'
    ],
    said
  };
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
