import * as React from 'react';
import { headline } from '../../model/speed';
import type { IFact, ILimit, IReport } from '../../model/types';
import {
  appearanceOfSpeed,
  RESERVED,
  type IAppearance
} from '../../ui/appearance';
import { CaseStrip } from '../parts/caseStrip';
import { LimitFact, RatioFact } from './charts';
import { Glyph } from '../../ui/glyph';

/** Where a program stands against its limit. */
const APPEARANCES_OF_LIMIT: Record<ILimit['reached'], IAppearance> = {
  '': { tone: 'info', shape: 'half' },
  reached: { tone: 'pass', shape: 'check' },
  below: { tone: 'info', shape: 'half' },
  'not believed': { tone: 'info', shape: 'question' }
};

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
            <Glyph appearance={appearanceOfFact(fact, report)} small />{' '}
            {fact.answer}
          </dd>
          {hasFigure(fact, report) && (
            <dd className="jp-KernelReport-figure">
              <Figure fact={fact} report={report} />
            </dd>
          )}
          <Evidence fact={fact} report={report} />
        </div>
      ))}
    </dl>
  );
}

interface IFactProps {
  fact: IFact;
  report: IReport;
}

function hasFigure(fact: IFact, report: IReport): boolean {
  return fact.question === 'Correct?'
    ? report.cases.length > 0
    : fact.measured && report.timing !== null;
}

function Figure({ fact, report }: IFactProps): React.JSX.Element | null {
  const { timing } = report;
  switch (fact.question) {
    case 'Correct?':
      return <CaseStrip report={report} />;
    case 'Faster?':
      return timing && <RatioFact timing={timing} />;
    case 'Limit?':
      return timing && <LimitFact timing={timing} />;
  }
}

function Evidence({ fact, report }: IFactProps): React.JSX.Element | null {
  const isSpeed = fact.question === 'Faster?' && fact.measured;
  const times = isSpeed ? report.timing?.headline_times : '';
  const words = [times, fact.evidence].filter(part => part);
  return words.length > 0 ? (
    <dd className="jp-KernelReport-why">{words.join('; ')}</dd>
  ) : null;
}

function appearanceOfFact(fact: IFact, report: IReport): IAppearance {
  const speed = fact.question === 'Faster?' ? headline(report.timing) : null;
  if (speed) {
    return appearanceOfSpeed(speed.verdict);
  }
  if (!fact.measured) {
    return { tone: 'none', shape: 'waiting' };
  }
  if (fact.question === 'Limit?') {
    return APPEARANCES_OF_LIMIT[report.timing?.limit?.reached ?? ''];
  }
  const reserved = report.verdict?.obstacle || report.verdict?.untried;
  if (fact.question === 'Correct?' && reserved) {
    return RESERVED;
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
