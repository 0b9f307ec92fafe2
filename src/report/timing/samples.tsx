/** All samples of the forward calls, a strip a program, on one axis. */
import * as React from 'react';
import type { ITiming } from '../../model/types';
import { kindOf } from '../../ui/charts/marks';
import type { IScale } from '../../ui/charts/scale';
import { Strip } from '../../ui/charts/strip';
import { formatDuration, formatSignificant, timeUnit } from '../../ui/format';
import { ChartTable, type IChartRow } from '../../ui/table';
import { useTrans, type Trans } from '../../ui/trans';
import type { IContestant } from '../../model/speed';
import { programName, timeOf } from '../parts/labels';
import { layoutSamples } from './layout';

/** Dots of all strips together. */
const MAX_DOTS = 900;

export function Samples({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const chart = layoutSamples(timing);
  if (!chart) {
    return null;
  }
  const { programs, scale } = chart;
  const dots = Math.floor(MAX_DOTS / programs.length);
  const [unit, second] = timeUnit(scale.high);
  const digits = digitsApart(scale);
  const tick = (value: number) => formatSignificant(value / second, digits);
  return (
    <div>
      <ChartTable
        label={trans.__('All samples')}
        caption={trans.__('All samples')}
        hint={trans.__(
          'interleaved; dots: samples, tall line: median, short bar: interquartile range (IQR)'
        )}
        kind="strips"
        columns={[
          { name: trans.__('Program') },
          {
            name:
              scale.low > 0
                ? trans.__(
                    'Time per call, %1; axis starts at %2',
                    unit,
                    tick(scale.low)
                  )
                : trans.__('Time per call, %1', unit),
            kind: 'chart'
          },
          { name: trans.__('Median'), kind: 'number' },
          { name: trans.__('IQR'), kind: 'number' }
        ]}
        groups={[
          {
            name: '',
            rows: programs.map(one => sampleRow(one, scale, dots, trans))
          }
        ]}
        foot={{
          title: trans.__(
            'Axis from %1 to %2 %3',
            tick(scale.low),
            tick(scale.high),
            unit
          ),
          scale,
          label: tick
        }}
      />
    </div>
  );
}

function sampleRow(
  one: IContestant,
  scale: IScale,
  dots: number,
  trans: Trans
): IChartRow {
  const { row, isOther } = one;
  const time = timeOf(one);
  const count = trans._n('%1 sample', '%1 samples', row.n);
  const said = trans.__(
    '%1: median %2, interquartile range %3 to %4, %5',
    row.program,
    time,
    formatDuration(row.q1_s, 4),
    formatDuration(row.q3_s, 4),
    count
  );
  return {
    kind: row.role === 'candidate' ? 'candidate' : undefined,
    name: programName(one),
    cells: [
      <Strip
        row={row}
        kind={kindOf(row.role, isOther)}
        scale={scale}
        dots={dots}
        title={trans.__('%1, median %2', count, time)}
        desc={said}
        off={trans.__('%1, off the axis', time)}
      />,
      time,
      row.iqr
    ],
    said
  };
}

/** As many digits as tell the ticks of an axis apart. */
function digitsApart({ low, high }: IScale): number {
  return 1 + Math.max(2, Math.ceil(Math.log10(high / (high - low))));
}
