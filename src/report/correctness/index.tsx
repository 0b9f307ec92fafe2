import * as React from 'react';
import type { IReport } from '../../model/types';
import { Advice } from './advice';
import { CaseTable } from './caseTable';
import { ErrorMap } from './errorMap';
import { MemoryCheck } from './memoryCheck';
import { Gates } from './gates';
import { Power } from './power';
import { Precision } from './precision';
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
  const memoryChecks = [report.memory_check, report.sanitizer].filter(
    memoryCheck => memoryCheck !== null
  );
  const remarks = gates.length + advice.length + memoryChecks.length;
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
        memoryChecks.some(({ findings }) => findings.some(one => one.certain))
      }
    >
      <div className="jp-KernelReport-columns">
        {cases.length > 0 && (
          <div className="jp-KernelReport-compared">
            <CaseTable cases={cases} />
            {report.error_map && <ErrorMap map={report.error_map} />}
            {report.precision && <Precision precision={report.precision} />}
            {report.rules && (
              <p className="jp-KernelReport-note">{report.rules.words}</p>
            )}
          </div>
        )}
        {remarks > 0 && (
          <div className="jp-KernelReport-stack">
            {gates.length > 0 && <Gates gates={gates} />}
            {power !== null && power.total > 0 && <Power power={power} />}
            {memoryChecks.map(memoryCheck => (
              <MemoryCheck key={memoryCheck.tool} memoryCheck={memoryCheck} />
            ))}
            {advice.length > 0 && <Advice advice={advice} />}
          </div>
        )}
      </div>
    </Section>
  );
}
