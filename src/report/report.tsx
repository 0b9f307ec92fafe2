import * as React from 'react';
import type { IReport } from '../model/types';
import { appearanceOf } from '../ui/appearance';
import { BlockSection } from './blocks';
import { Facts } from './facts';
import { Failure } from './failure';
import { Frame } from './parts/frame';
import { Header } from './header';
import { Saved, Stale } from './header/notices';
import { Steps, StepsFooter } from './steps';
import { Verdict } from './verdict';
import { useView } from './parts/view';

/** One report, running or finished: both share one frame, so nothing jumps. */
export function Report({ report }: { report: IReport }): React.JSX.Element {
  const { state } = useView();
  const running = report.state === 'running';
  const saved = !running && state?.heardAt === null;
  const stale = !running && state?.isStale === true;
  const headingId = React.useId();
  const sections = report.sections.map(section => (
    <BlockSection key={section.id} section={section} report={report} />
  ));
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
          {sections}
          <StepsFooter />
        </>
      ) : (
        <>
          {report.failure && (
            <Failure report={report} failure={report.failure} />
          )}
          <Facts report={report} />
          {sections}
        </>
      )}
    </Frame>
  );
}
