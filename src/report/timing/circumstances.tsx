/** The forward call as it was timed, and as it is where caches or Python matter less. */
import * as React from 'react';
import { nameOf } from '../../model/speed';
import type { ITiming } from '../../model/types';
import { ScrollTable } from '../../ui/table';
import { useTrans } from '../../ui/trans';
import { circumstanceName, timeOf } from '../parts/labels';
import { SpeedVerdict } from '../parts/speedVerdict';
import { inCircumstances } from './layout';

export function Circumstances({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const found = inCircumstances(timing);
  if (found.length < 2) {
    return null;
  }
  return (
    <ScrollTable
      label={trans.__('Circumstances')}
      caption={trans.__('Circumstances')}
      hint={trans.__('the verdict speaks of the cold call')}
      columns={[
        { name: trans.__('Forward') },
        { name: trans.__('This kernel'), kind: 'number' },
        { name: nameOf(timing, 'reference') ?? '', kind: 'number' },
        { name: trans.__('Against eager'), kind: 'number' },
        { name: trans.__('Verdict'), kind: 'result' }
      ]}
      groups={[
        {
          name: '',
          rows: found.map(({ circumstance, ours, theirs }) => ({
            name: circumstanceName(circumstance, trans),
            cells: [
              timeOf(ours),
              timeOf(theirs),
              ours.row.against,
              <SpeedVerdict verdict={ours.speed?.verdict ?? null} />
            ]
          }))
        }
      ]}
    />
  );
}
