import * as React from 'react';
import { formatCount, formatSize } from '../../ui/format';
import { PHASES } from '../../model/speed';
import type { IReport } from '../../model/types';
import { BuildFacts } from '../parts/buildFacts';
import { LineCosts } from './lineCosts';
import { Resources } from './resources';
import { Section } from '../parts/section';
import { Timeline } from './timeline';
import { useTrans } from '../../ui/trans';

/** What ran on the device, when, and with what resources. */
export function Profile({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { profile, timing } = report;
  if (!profile) {
    return null;
  }
  // A cell that is no candidate ran as a whole, and is all there is to see.
  const phased = report.verdict?.kind !== 'profiled';
  const notes = [
    profile.counters_note,
    profile.left_out > 0
      ? trans.__(
          'Bars left out of the timeline: %1',
          formatCount(profile.left_out)
        )
      : '',
    profile.peak_bytes !== null
      ? trans.__('Peak memory of the run: %1', formatSize(profile.peak_bytes))
      : '',
    profile.note
  ].filter(part => part !== '');
  return (
    <Section
      id="profile"
      name={trans.__('Profile')}
      conclusion={profile.conclusion || profile.note}
    >
      <div className="jp-KernelReport-stack">
        {PHASES.map(phase => (
          <Timeline
            key={phase}
            profile={profile}
            timing={timing}
            phase={phase}
            phased={phased}
          />
        ))}
        <LineCosts profile={profile} />
        <Resources profile={profile} timing={timing} phased={phased} />
        <BuildFacts builds={profile.builds} />
        {notes.map(note => (
          <p key={note} className="jp-KernelReport-note">
            {note}
          </p>
        ))}
      </div>
    </Section>
  );
}
