/** The forward call as it was timed, and as it is where caches or Python matter less. */
import * as React from 'react';
import { nameOf } from '../../model/speed';
import type { ITiming } from '../../model/types';
import { ScrollTable } from '../../ui/table';
import { useTrans } from '../../ui/trans';
import { cacheStateName, timeOf } from '../parts/labels';
import { SpeedVerdict } from '../parts/speedVerdict';
import { inCacheStates } from './layout';

export function CacheStates({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const found = inCacheStates(timing);
  if (found.length < 2) {
    return null;
  }
  return (
    <ScrollTable
      label={trans.__('Cache states')}
      caption={trans.__('Cache states')}
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
          rows: found.map(({ cache_state, ours, theirs }) => ({
            name: cacheStateName(cache_state, trans),
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
