import * as React from 'react';
import { headline } from '../../model/speed';
import type { IFact, ILimit, IReport } from '../../model/types';
import {
  appearanceOfSpeed,
  RESERVED,
  type IAppearance
} from '../../ui/appearance';
import { CaseStrip } from '../parts/caseStrip';
import { MarkChart } from '../parts/markChart';
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
          {(fact.axis || fact.question === 'Correct?') && (
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

function Figure({ fact, report }: IFactProps): React.JSX.Element | null {
  if (fact.question === 'Correct?') {
    return report.cases.length > 0 ? <CaseStrip report={report} /> : null;
  }
  // Its values stand in the fact's own words, so that it takes no focus.
  return fact.axis ? (
    <MarkChart
      axis={fact.axis}
      marks={fact.marks}
      title={[fact.answer, fact.evidence].filter(part => part).join('; ')}
      timing={report.timing}
      hasAxis={fact.axis.shown}
    />
  ) : null;
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
  if (fact.question === 'On a GPU?') {
    // It was built, and not run.
    return { tone: 'info', shape: 'half' };
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
