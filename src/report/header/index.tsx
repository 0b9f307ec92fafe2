import * as React from 'react';
import { clockTime } from '../../ui/format';
import type { IReport } from '../../model/types';
import { Actions } from './actions';
import { stagePhrase, upperFirst } from '../../ui/words';
import { useView } from '../parts/view';
import { useTrans } from '../../ui/trans';

interface IHeaderProps {
  report: IReport;
  headingId: string;
}

/** What was run, what it would replace, and where. */
export function Header({ report, headingId }: IHeaderProps): React.JSX.Element {
  const trans = useTrans();
  const heardAt = useView().state?.heardAt ?? null;
  const { candidate, device, problem } = report;
  // What follows the operator, its shape and dtype, goes to the quiet line.
  const [before, ...after] = report.title.split(`${problem.name} `);
  const about = after.length > 0 ? `${before}${problem.name}` : report.title;
  const name = candidate.ours ? upperFirst(about) : about;
  const rest = after.join(`${problem.name} `);
  const profiled = report.verdict?.kind === 'profiled';
  // A weak check ran to its end, as a pass does, and so did a cell that was profiled.
  const whole =
    profiled || ['pass', 'weak'].includes(report.verdict?.kind ?? '');
  const ended = report.state === 'finished' && !whole;
  // A program that cannot be read fails before the stage it was meant for.
  const stage = report.stages.find(
    ({ name, state }) => name === report.failure?.stage && state !== 'not run'
  );
  const place = device.kind === 'none' && !profiled ? '' : device.name;
  // The title says whose program it is where it is ours; code that is no candidate has no name but the cell's.
  const label =
    candidate.ours || candidate.label === name ? '' : candidate.label;
  const here =
    heardAt !== null && report.state === 'finished'
      ? trans.__('Run here, %1', clockTime(heardAt))
      : '';
  const quiet = ended
    ? [
        rest,
        place,
        stage ? stagePhrase(stage.name, trans) : '',
        report.elapsed_s > 0 ? trans.__('after %1', report.took) : '',
        here
      ]
    : [
        rest,
        problem.replaces && trans.__('replaces %1', problem.replaces),
        place,
        label,
        here
      ];
  return (
    <header className="jp-KernelReport-header">
      <h3 id={headingId}>
        {ended && label ? trans.__('%1, %2', name, label) : name}
      </h3>
      <p>{quiet.filter(part => part !== '').join(' · ')}</p>
      {report.state === 'finished' && <Actions report={report} />}
    </header>
  );
}
