/** How the times were taken, and how far they can be trusted. */
import * as React from 'react';
import type { IReport } from '../../model/types';
import { useTrans } from '../../ui/trans';
import { Section } from '../parts/section';
import { CacheStates } from './cacheStates';
import { Clocks } from './clocks';
import { Intervals } from './intervals';
import { Samples } from './samples';

export function Timing({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { timing } = report;
  if (!timing || (timing.rows.length === 0 && timing.note === '')) {
    return null;
  }
  const unclear = timing.clocks.some(({ agrees }) => !agrees);
  return (
    <Section
      id="timing"
      name={trans.__('Timing')}
      conclusion={timing.conclusion || timing.note}
      failing={unclear}
    >
      {timing.rows.length === 0 ? (
        <p className="jp-KernelReport-note">{timing.note}</p>
      ) : (
        <div className="jp-KernelReport-stack">
          <Samples timing={timing} />
          <div className="jp-KernelReport-columns jp-mod-even">
            <Intervals timing={timing} />
            <Clocks timing={timing} />
          </div>
          <CacheStates timing={timing} />
          <p className="jp-KernelReport-note">
            {[timing.conditions, timing.note]
              .filter(part => part !== '')
              .join('; ')}
          </p>
        </div>
      )}
    </Section>
  );
}
