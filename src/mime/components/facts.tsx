import * as React from 'react';
import { formatDurations } from '../../report/format';
import {
  contestants,
  headline,
  nameOf,
  shareOf,
  type Role
} from '../../report/speed';
import type { IFact, IReport } from '../../report/types';
import { lookOfSpeed, type ILook } from '../look';
import { CaseStrip } from './casestrip';
import { LimitFact, RatioFact } from './factcharts';
import { Glyph } from './glyph';
import { useView } from './view';

/** From this share on a program is at the limit, as in `report.speed_words`. */
const AT_LIMIT = 0.98;
/** Faster than the device allows: something is wrong with the times. */
const BELIEVED = 1.05;

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
  const { cases, timing } = report;
  switch (fact.question) {
    case 'Correct?':
      return <CaseStrip cases={cases} />;
    case 'Faster?':
      return timing && <RatioFact timing={timing} />;
    case 'Limit?':
      return timing && <LimitFact timing={timing} />;
  }
}

function Evidence({ fact, report }: IFactProps): React.JSX.Element | null {
  const { trans } = useView();
  const { timing } = report;
  const programs =
    fact.question === 'Faster?' && fact.measured && timing
      ? contestants(timing, 'forward', 'cold')
      : [];
  const times = formatDurations(programs.map(({ row }) => row.median_s));
  const timeOf = (role: Role) =>
    times[programs.findIndex(({ row }) => row.role === role)];
  const [ours, theirs] = [timeOf('candidate'), timeOf('reference')];
  const words = [
    ours && theirs ? trans.__('%1 against %2', ours, theirs) : '',
    fact.evidence
  ].filter(part => part !== '');
  return words.length > 0 ? (
    <dd className="jp-KernelReport-why">{words.join('; ')}</dd>
  ) : null;
}

function lookOfFact(fact: IFact, report: IReport): ILook {
  const speed = fact.question === 'Faster?' ? headline(report.timing) : null;
  if (speed) {
    return lookOfSpeed(speed.verdict);
  }
  if (!fact.measured) {
    return { tone: 'none', shape: 'waiting' };
  }
  const us = nameOf(report.timing, 'candidate');
  const limit = report.timing?.limit ?? null;
  const share = us === null ? null : shareOf(limit, us, 'forward');
  if (fact.question === 'Limit?' && share) {
    if (share.share > BELIEVED) {
      return { tone: 'info', shape: 'question' };
    }
    return share.share >= AT_LIMIT
      ? { tone: 'pass', shape: 'check' }
      : { tone: 'info', shape: 'half' };
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
