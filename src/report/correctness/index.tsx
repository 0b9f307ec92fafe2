import * as React from 'react';
import type { IReport } from '../../model/types';
import { Advice } from './advice';
import { CaseTable } from './caseTable';
import { Examination } from './memoryCheck';
import { Gates } from './gates';
import { Power } from './power';
import { Section } from '../parts/section';
import { useTrans } from '../../ui/trans';

/** The check stage: its cases, its gates, and what was seen in the text. */
export function Correctness({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { advice, cases, gates, power } = report;
  const examinations = [report.examination, report.sanitizer].filter(
    examination => examination !== null
  );
  const remarks = gates.length + advice.length + examinations.length;
  if (cases.length + remarks === 0) {
    return null;
  }
  return (
    <Section
      id="correctness"
      name={
        // Nothing was checked: what is left are remarks on the text.
        cases.length + gates.length > 0
          ? trans.__('Correctness')
          : trans.__('Program text')
      }
      conclusion={report.correctness}
      failing={
        report.verdict?.kind === 'weak' ||
        [...cases, ...gates].some(({ outcome }) => outcome === 'fail') ||
        examinations.some(({ findings }) => findings.some(one => one.certain))
      }
    >
      <div className="jp-KernelReport-columns">
        {cases.length > 0 && <CaseTable cases={cases} />}
        {remarks > 0 && (
          <div className="jp-KernelReport-stack">
            {gates.length > 0 && <Gates gates={gates} />}
            {power !== null && power.total > 0 && <Power power={power} />}
            {examinations.map(examination => (
              <Examination key={examination.tool} examination={examination} />
            ))}
            {advice.length > 0 && <Advice advice={advice} />}
          </div>
        )}
      </div>
    </Section>
  );
}
