/** The forward call over sizes: where the program wins, and where it loses. */
import * as React from 'react';
import type { IReport, ISweepPoint } from '../../model/types';
import { Explore } from '../../ui/charts/explore';
import { formatDuration, formatRatio } from '../../ui/format';
import { Table, type IChartRow } from '../../ui/table';
import { useTrans, type Trans } from '../../ui/trans';
import { Section } from '../parts/section';
import { SpeedVerdict } from '../parts/speedVerdict';
import { Curve } from './curve';

export function Sizes({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { timing } = report;
  if (!timing || timing.sweep.length === 0) {
    return null;
  }
  const conclusion = timing.sizes_conclusion;
  const rows = timing.sweep.map(point => sizeRow(point, trans));
  const values = rows.map(({ said }) => said);
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
            points={timing.sweep}
            title={conclusion || trans.__('Sizes')}
            desc={values.join('. ')}
          />
        </figure>
        <Table
          columns={[
            { name: trans.__('Shape') },
            { name: trans.__('This kernel'), kind: 'number' },
            { name: trans.__('PyTorch eager'), kind: 'number' },
            { name: trans.__('Against eager'), kind: 'number' },
            { name: trans.__('Verdict'), kind: 'result' }
          ]}
          groups={[{ name: '', rows }]}
          rowsAreMarks
        />
      </Explore>
    </Section>
  );
}

function sizeRow(point: ISweepPoint, trans: Trans): IChartRow {
  const ours = point.candidate_time || formatDuration(point.candidate_s);
  const theirs = point.reference_time || formatDuration(point.reference_s);
  const against = point.against || formatRatio(point.ratio);
  return {
    name: <code>{point.shape}</code>,
    cells: [ours, theirs, against, <SpeedVerdict verdict={point.verdict} />],
    said: [
      `${point.shape}: ${against}`,
      point.interval && trans.__('95% CI %1', point.interval),
      trans.__('%1 against %2', ours, theirs)
    ]
      .filter(part => part)
      .join(', ')
  };
}
