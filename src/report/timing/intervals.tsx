/** The ratios of medians with their intervals, beside what the reference varies against itself. */
import * as React from 'react';
import { nameOf } from '../../model/speed';
import type { ITiming } from '../../model/types';
import { Chart } from '../../ui/charts/chart';
import { Interval, kindOf, NoiseBand } from '../../ui/charts/marks';
import { ratioTick, spaced } from '../../ui/charts/scale';
import { formatRatio } from '../../ui/format';
import { ChartTable, type IChartRow } from '../../ui/table';
import { useTrans, type Trans } from '../../ui/trans';
import { programName } from '../parts/labels';
import { SpeedVerdict } from '../parts/speedVerdict';
import {
  layoutIntervals,
  type ICompared,
  type IIntervalsLayout
} from './layout';

const HEIGHT = 26;

export function Intervals({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const chart = layoutIntervals(timing);
  if (!chart) {
    return null;
  }
  const reference = nameOf(timing, 'reference') ?? trans.__('reference');
  return (
    <div>
      <ChartTable
        label={trans.__('Ratio of medians')}
        caption={trans.__('Ratio of medians, 95% CI')}
        hint={trans.__('against %1', reference)}
        kind="intervals"
        columns={[
          { name: trans.__('Program') },
          { name: trans.__('Chart'), kind: 'chart', isNameHidden: true },
          { name: trans.__('Ratio'), kind: 'number' },
          { name: trans.__('Verdict'), kind: 'result' }
        ]}
        groups={[
          {
            name: '',
            rows: [
              ...chart.programs.map(one => ratioRow(one, chart, trans)),
              bandRow(reference, chart, trans)
            ]
          }
        ]}
        foot={{
          title: trans.__('Axis of ratios'),
          scale: spaced(chart.scale, 20, 1),
          label: tick => (tick === 1 ? trans.__('same') : ratioTick(tick))
        }}
      />
      <p className="jp-KernelReport-note">
        {trans.__(
          'FASTER needs the whole interval to lie right of the grey noise band, SLOWER left of it.'
        )}
      </p>
    </div>
  );
}

function ratioRow(
  one: ICompared,
  { scale, band }: IIntervalsLayout,
  trans: Trans
): IChartRow {
  const { row, speed } = one;
  const ratio = row.against || formatRatio(speed.ratio);
  const said = [
    `${row.program}: ${ratio}`,
    speed.interval && trans.__('95% CI %1', speed.interval)
  ]
    .filter(part => part)
    .join(', ');
  return {
    kind: row.role === 'candidate' ? 'candidate' : undefined,
    name: programName(one),
    cells: [
      <Chart height={HEIGHT} title={ratio} desc={said}>
        <NoiseBand scale={scale} band={band} height={HEIGHT} />
        <Interval
          kind={kindOf(row.role, false)}
          scale={scale}
          low={speed.low}
          middle={speed.ratio}
          high={speed.high}
          y={HEIGHT / 2}
        />
      </Chart>,
      ratio,
      <SpeedVerdict verdict={speed.verdict} />
    ],
    said
  };
}

function bandRow(
  reference: string,
  { scale, band }: IIntervalsLayout,
  trans: Trans
): IChartRow {
  const width = trans.__('noise band, %1', formatRatio(band, 4));
  return {
    kind: 'limit',
    name: trans.__('%1 against itself', reference),
    cells: [
      <Chart height={HEIGHT} title={width}>
        <NoiseBand scale={scale} band={band} height={HEIGHT} />
        <Interval
          kind="reference"
          scale={scale}
          low={1 / band}
          middle={1}
          high={band}
          y={HEIGHT / 2}
        />
      </Chart>,
      formatRatio(band, 4),
      trans.__('noise band')
    ],
    said: trans.__('%1 against itself: %2', reference, width)
  };
}
