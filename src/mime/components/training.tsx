import * as React from 'react';
import {
  formatDurations,
  formatRatio,
  formatSize,
  ratioDigits
} from '../../report/format';
import {
  circumstanceOf,
  contestants,
  keptBytes,
  nameOf,
  PHASES
} from '../../report/speed';
import type { IReport } from '../../report/types';
import { Section } from './section';
import { SpeedVerdict } from './speedverdict';
import {
  againstWords,
  keptWords,
  phaseName,
  trainingWords
} from './speedwords';
import { useView } from './view';

/** What a training step takes, and what the forward call keeps for it. */
export function Training({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const { trans } = useView();
  const { timing } = report;
  if (!timing) {
    return null;
  }
  const rows = PHASES.flatMap(phase => {
    const circumstance = circumstanceOf(timing, phase);
    const programs = circumstance
      ? contestants(timing, phase, circumstance)
      : [];
    const ours = programs.find(({ row }) => row.role === 'candidate');
    const theirs = programs.find(({ row }) => row.role === 'reference');
    return ours && theirs ? [{ phase, ours, theirs }] : [];
  });
  if (!rows.some(({ phase }) => phase !== 'forward')) {
    return null;
  }
  const kept = keptBytes(timing);
  const peaks = timing.memory.filter(({ peak_bytes }) => peak_bytes > 0);
  const peakOf = (program: string) =>
    peaks.find(one => one.program === program)?.peak_bytes;
  const name = trans.__('Training');
  const us = nameOf(timing, 'candidate') ?? '';
  const reference = nameOf(timing, 'reference') ?? '';
  const [ourPeak, theirPeak] = [peakOf(us), peakOf(reference)];
  return (
    <Section
      id="training"
      name={name}
      conclusion={trainingWords(timing, trans)}
    >
      <div
        className="jp-KernelReport-scroll"
        role="group"
        aria-label={name}
        tabIndex={0}
      >
        <table className="jp-KernelReport-table jp-mod-narrow">
          <thead>
            <tr>
              <th scope="col">{trans.__('Phase')}</th>
              <th scope="col" className="jp-mod-number">
                {trans.__('This kernel')}
              </th>
              <th scope="col" className="jp-mod-number">
                {reference}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Difference')}
              </th>
              <th scope="col">{trans.__('Verdict')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ phase, ours, theirs }) => {
              const [mine, other] = formatDurations([
                ours.row.median_s,
                theirs.row.median_s
              ]);
              const digits = ratioDigits(ours.speed ? [ours.speed.ratio] : []);
              return (
                <tr
                  key={phase}
                  className={
                    phase === 'training step' ? 'jp-mod-candidate' : undefined
                  }
                >
                  <th scope="row">{phaseName(phase, trans)}</th>
                  <td className="jp-mod-number">{mine}</td>
                  <td className="jp-mod-number">{other}</td>
                  <td className="jp-mod-number">
                    {againstWords(ours, digits, trans)}
                  </td>
                  <td className="jp-mod-result">
                    <SpeedVerdict verdict={ours.speed?.verdict ?? null} />
                  </td>
                </tr>
              );
            })}
            {kept && (
              <tr>
                <th scope="row">{trans.__('Kept for backward')}</th>
                <td className="jp-mod-number">{formatSize(kept.ours)}</td>
                <td className="jp-mod-number">{formatSize(kept.theirs)}</td>
                <td className="jp-mod-number">{keptWords(timing, trans)}</td>
                <td />
              </tr>
            )}
            {ourPeak !== undefined && theirPeak !== undefined && (
              <tr>
                <th scope="row">{trans.__('Peak memory of a call')}</th>
                <td className="jp-mod-number">{formatSize(ourPeak)}</td>
                <td className="jp-mod-number">{formatSize(theirPeak)}</td>
                <td className="jp-mod-number">
                  {ourPeak > theirPeak
                    ? trans.__('%1 more', formatRatio(ourPeak / theirPeak))
                    : ourPeak < theirPeak
                      ? trans.__('%1 less', formatRatio(ourPeak / theirPeak))
                      : ''}
                </td>
                <td />
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
