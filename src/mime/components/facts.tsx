import * as React from 'react';
import type { IFact, IReport } from '../../report/types';
import type { ILook } from '../look';
import { CaseStrip } from './casestrip';
import { Glyph } from './glyph';

/** Correct? Faster? Limit? One glance each: an answer, a chart, its evidence. */
export function Facts({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  if (report.facts.length === 0) {
    return null;
  }
  return (
    <dl className="jp-KernelReport-facts">
      {report.facts.map(fact => (
        <div key={fact.question}>
          <dt>{fact.question}</dt>
          <dd
            className={`jp-KernelReport-answer${fact.measured ? '' : ' jp-mod-unmeasured'}`}
          >
            <Glyph look={lookOfFact(fact, report)} small /> {fact.answer}
          </dd>
          {fact.question === 'Correct?' && report.cases.length > 0 && (
            <dd className="jp-KernelReport-figure">
              <CaseStrip cases={report.cases} />
            </dd>
          )}
          {fact.evidence && (
            <dd className="jp-KernelReport-why">{fact.evidence}</dd>
          )}
        </div>
      ))}
    </dl>
  );
}

function lookOfFact(fact: IFact, report: IReport): ILook {
  if (!fact.measured) {
    return { tone: 'none', shape: 'waiting' };
  }
  const outcome =
    fact.question === 'Correct?' ? report.verdict?.outcome : 'pass';
  switch (outcome) {
    case 'fail':
      return { tone: 'fail', shape: 'cross' };
    case 'unclear':
      return { tone: 'info', shape: 'question' };
    default:
      return { tone: 'pass', shape: 'check' };
  }
}
