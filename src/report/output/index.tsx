import * as React from 'react';
import type { IReport } from '../../model/types';
import { Section } from '../parts/section';
import { useTrans } from '../../ui/trans';

/** What the candidate printed while it ran. */
export function Output({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  if (report.output === '') {
    return null;
  }
  const lines = report.output.replace(/\n$/, '').split('\n').length;
  return (
    <Section
      id="output"
      name={trans.__('Output')}
      conclusion={trans._n(
        'the program printed %1 line',
        'the program printed %1 lines',
        lines
      )}
    >
      <pre
        className="jp-KernelReport-pre"
        tabIndex={0}
        role="group"
        aria-label={trans.__('Output of the program')}
      >
        {report.output}
      </pre>
    </Section>
  );
}
