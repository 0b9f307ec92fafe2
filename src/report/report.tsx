import * as React from 'react';
import type { IReport } from '../model/types';
import { appearanceOf } from '../ui/appearance';
import { Build } from './build';
import { Correctness } from './correctness';
import { DeviceCode } from './deviceCode';
import { Facts } from './facts';
import { Failure } from './failure';
import { Frame } from './parts/frame';
import { Header } from './header';
import { Limit } from './limit';
import { Output } from './output';
import { Profile } from './profile';
import { Provenance } from './provenance';
import { Sizes } from './sizes';
import { Saved, Stale } from './header/notices';
import { Steps, StepsFooter } from './steps';
import { Times } from './times';
import { Timing } from './timing';
import { Training } from './training';
import { Verdict } from './verdict';
import { useView } from './parts/view';

/** One report, running or finished: both share one frame, so nothing jumps. */
export function Report({ report }: { report: IReport }): React.JSX.Element {
  const { state } = useView();
  const running = report.state === 'running';
  const saved = !running && state?.heardAt === null;
  const stale = !running && state?.isStale === true;
  const headingId = React.useId();
  return (
    <Frame
      tone={stale ? 'warn' : appearanceOf(report).tone}
      headingId={headingId}
      busy={running}
      saved={saved}
    >
      {saved && <Saved report={report} />}
      {stale && <Stale report={report} />}
      <Header report={report} headingId={headingId} />
      <Verdict report={report} />
      {running ? (
        <>
          <Steps stages={report.stages} />
          <Times report={report} />
          <StepsFooter />
        </>
      ) : (
        <>
          {report.failure && (
            <Failure report={report} failure={report.failure} />
          )}
          <Facts report={report} />
          <Times report={report} />
          <Correctness report={report} />
          <Timing report={report} />
          <Sizes report={report} />
          <Limit report={report} />
          <Training report={report} />
          <Profile report={report} />
          <Build report={report} />
          <DeviceCode report={report} />
          <Output report={report} />
          <Provenance report={report} />
        </>
      )}
    </Frame>
  );
}
