import * as React from 'react';
import {
  cacheStateOf,
  contestants,
  nameOf,
  PHASES,
  type IContestant,
  type Phase
} from '../../model/speed';
import type { IReport, ITiming } from '../../model/types';
import { Section } from '../parts/section';
import { SpeedVerdict } from '../parts/speedVerdict';
import { phaseName, timeOf } from '../parts/labels';
import { ScrollTable, type IRow } from '../../ui/table';
import { useTrans, type Trans } from '../../ui/trans';

/** A phase that both programs were timed in. */
interface IPhase {
  phase: Phase;
  ours: IContestant;
  theirs: IContestant;
}

/** What a training step takes, and what the forward call keeps for it. */
export function Training({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { timing } = report;
  const phases = timing ? phasesOf(timing) : [];
  if (!timing || !phases.some(({ phase }) => phase !== 'forward')) {
    return null;
  }
  const name = trans.__('Training');
  return (
    <Section id="training" name={name} conclusion={timing.training_conclusion}>
      <ScrollTable
        label={name}
        kind="narrow"
        columns={[
          { name: trans.__('Phase') },
          { name: trans.__('This kernel'), kind: 'number' },
          { name: nameOf(timing, 'reference') ?? '', kind: 'number' },
          { name: trans.__('Difference'), kind: 'number' },
          { name: trans.__('Verdict'), kind: 'result' }
        ]}
        groups={[
          {
            name: '',
            rows: [
              ...phases.map(one => phaseRow(one, trans)),
              ...memoryRows(timing, trans)
            ]
          }
        ]}
      />
    </Section>
  );
}

function phasesOf(timing: ITiming): IPhase[] {
  return PHASES.flatMap(phase => {
    const cache_state = cacheStateOf(timing, phase);
    const programs = cache_state ? contestants(timing, phase, cache_state) : [];
    const ours = programs.find(({ row }) => row.role === 'candidate');
    const theirs = programs.find(({ row }) => row.role === 'reference');
    return ours && theirs ? [{ phase, ours, theirs }] : [];
  });
}

function phaseRow({ phase, ours, theirs }: IPhase, trans: Trans): IRow {
  return {
    kind: phase === 'training step' ? 'candidate' : undefined,
    name: phaseName(phase, trans),
    cells: [
      timeOf(ours),
      timeOf(theirs),
      ours.row.against,
      <SpeedVerdict verdict={ours.speed?.verdict ?? null} />
    ]
  };
}

/** What both programs keep and need at most; a row is left out where one is not known. */
function memoryRows(timing: ITiming, trans: Trans): IRow[] {
  const uses = (['candidate', 'reference'] as const).map(role =>
    timing.memory.find(({ program }) => program === nameOf(timing, role))
  );
  const kept = uses.map(use =>
    use && use.kept_bytes !== null ? use.kept : ''
  );
  const peaks = uses.map(use => (use && use.peak_bytes > 0 ? use.peak : ''));
  const rows: [string, string[], string][] = [
    [trans.__('Kept for backward'), kept, timing.kept_words],
    [trans.__('Peak memory of a call'), peaks, timing.peak_words]
  ];
  return rows
    .filter(([, sizes]) => sizes.every(size => size !== ''))
    .map(([name, sizes, difference]) => ({
      name,
      cells: [...sizes, difference, '']
    }));
}
