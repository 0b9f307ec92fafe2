import * as React from 'react';
import { formatDuration, formatSize } from '../../ui/format';
import {
  circumstanceOf,
  contestants,
  nameOf,
  PHASES,
  type IContestant
} from '../../model/speed';
import type { IReport } from '../../model/types';
import { Section } from '../parts/section';
import { SpeedVerdict } from '../parts/speedVerdict';
import { phaseName } from '../parts/labels';
import { useTrans } from '../../ui/trans';

/** What a training step takes, and what the forward call keeps for it. */
export function Training({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
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
  const name = trans.__('Training');
  const reference = nameOf(timing, 'reference') ?? '';
  const ourUse = useOf(nameOf(timing, 'candidate'));
  const theirUse = useOf(reference);
  const kept = [ourUse, theirUse].map(use =>
    use && use.kept_bytes !== null ? use.kept || formatSize(use.kept_bytes) : ''
  );
  const peaks = [ourUse, theirUse].map(use =>
    use && use.peak_bytes > 0 ? use.peak || formatSize(use.peak_bytes) : ''
  );
  return (
    <Section id="training" name={name} conclusion={timing.training_conclusion}>
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
            {rows.map(({ phase, ours, theirs }) => (
              <tr
                key={phase}
                className={
                  phase === 'training step' ? 'jp-mod-candidate' : undefined
                }
              >
                <th scope="row">{phaseName(phase, trans)}</th>
                <td className="jp-mod-number">{timeOf(ours)}</td>
                <td className="jp-mod-number">{timeOf(theirs)}</td>
                <td className="jp-mod-number">{ours.row.against}</td>
                <td className="jp-mod-result">
                  <SpeedVerdict verdict={ours.speed?.verdict ?? null} />
                </td>
              </tr>
            ))}
            <MemoryRow
              name={trans.__('Kept for backward')}
              sizes={kept}
              difference={timing.kept_words}
            />
            <MemoryRow
              name={trans.__('Peak memory of a call')}
              sizes={peaks}
              difference={timing.peak_words}
            />
          </tbody>
        </table>
      </div>
    </Section>
  );

  function useOf(program: string | null) {
    return timing?.memory.find(one => one.program === program);
  }
}

function timeOf({ row }: IContestant): string {
  return row.time || formatDuration(row.median_s);
}

interface IMemoryRowProps {
  name: string;
  /** Of the candidate and the reference; empty where one is not known. */
  sizes: string[];
  difference: string;
}

function MemoryRow(props: IMemoryRowProps): React.JSX.Element | null {
  return props.sizes.every(size => size !== '') ? (
    <tr>
      <th scope="row">{props.name}</th>
      {[...props.sizes, props.difference].map((cell, n) => (
        <td key={n} className="jp-mod-number">
          {cell}
        </td>
      ))}
      <td />
    </tr>
  ) : null;
}
