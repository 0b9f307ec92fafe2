import * as React from 'react';
import { formatCount, formatSize } from '../../report/format';
import { nameOf, PHASES } from '../../report/speed';
import type { IReport } from '../../report/types';
import { BuildFacts, Resources } from './resources';
import { Section } from './section';
import { isOfOperators, Timeline } from './timeline';
import { useView } from './view';

/** How `profile.counters` starts where a driver keeps them to administrators. */
const CLOSED = "The driver keeps the device's counters";

/** What ran on the device, when, and with what resources. */
export function Profile({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const { trans } = useView();
  const { profile, timing } = report;
  if (!profile) {
    return null;
  }
  // A cell that is no candidate ran as a whole, and is all there is to see.
  const phased = report.verdict?.kind !== 'profiled';
  const us = nameOf(timing, 'candidate') ?? profile.kernels[0]?.program ?? '';
  const launches = profile.kernels.filter(
    ({ program, phase }) => program === us && phase === 'forward'
  );
  const notes = [
    profile.counters_note,
    profile.left_out > 0
      ? trans._n(
          '%1 bar of the timeline is left out.',
          '%1 bars of the timeline are left out.',
          profile.left_out
        )
      : '',
    profile.peak_bytes !== null
      ? trans.__('Peak memory of the run: %1.', formatSize(profile.peak_bytes))
      : '',
    profile.note
  ].filter(part => part !== '');
  return (
    <Section id="profile" name={trans.__('Profile')} conclusion={conclusion()}>
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

  function conclusion(): string {
    if (launches.length === 0) {
      return profile?.note || trans.__('no launch was seen');
    }
    const calls = launches.reduce((sum, one) => sum + one.calls, 0);
    const spills = launches.flatMap(({ spill_bytes }) =>
      spill_bytes === null ? [] : [spill_bytes]
    );
    const worst = Math.max(0, ...spills);
    const parts = [
      phased
        ? trans._n('%1 launch forward', '%1 launches forward', calls)
        : profile && isOfOperators(profile)
          ? trans._n('%1 operator', '%1 operators', calls)
          : trans._n('%1 launch', '%1 launches', calls),
      spills.length === 0
        ? ''
        : worst === 0
          ? trans.__('no spills')
          : trans.__('%1 B spilled a thread', formatCount(worst)),
      counters()
    ];
    return parts.filter(part => part !== '').join(' · ');
  }

  function counters(): string {
    const note = profile?.counters_note ?? '';
    if (note === '') {
      return '';
    }
    return note.startsWith(CLOSED)
      ? trans.__('counters closed')
      : trans.__('counters not read');
  }
}
