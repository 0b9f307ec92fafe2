import * as React from 'react';
import type { IReport } from '../../report/types';
import { lookOf } from '../look';
import { Build } from './build';
import { Correctness } from './correctness';
import { Facts } from './facts';
import { Failure } from './failure';
import { Frame } from './frame';
import { Header } from './header';
import { Output } from './output';
import { Provenance } from './provenance';
import { Steps, StepsFooter } from './steps';
import { Verdict } from './verdict';

/** One report, running or finished: both share one frame, so nothing jumps. */
export function Report({ report }: { report: IReport }): React.JSX.Element {
  const running = report.state === 'running';
  const headingId = React.useId();
  return (
    <Frame tone={lookOf(report).tone} headingId={headingId} busy={running}>
      <Header report={report} headingId={headingId} />
      <Verdict report={report} />
      {running ? (
        <>
          <Steps stages={report.stages} />
          <StepsFooter />
        </>
      ) : (
        <>
          {report.failure && (
            <Failure report={report} failure={report.failure} />
          )}
          <Facts report={report} />
          <Correctness report={report} />
          <Build report={report} />
          <Output report={report} />
          <Provenance report={report} />
        </>
      )}
    </Frame>
  );
}
