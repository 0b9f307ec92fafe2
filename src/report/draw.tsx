/**
 * Draws one report into a node. Loaded when the first report of a page is shown,
 * because React's parts and the validator are not needed before.
 */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import * as React from 'react';
import { flushSync } from 'react-dom';
import { createRoot, type Root } from 'react-dom/client';
import type {
  IReportActions,
  ReportBus,
  ReportOutput
} from '../model/reportBus';
import { textForModel } from '../model/forModel';
import { REPORT_MIME } from '../model/mimeType';
import { readReport } from '../model/validate';
import { TransContext } from '../ui/trans';
import { Report } from './report';
import { Undrawn } from './undrawn';
import { ViewContext, type IOutputActions } from './parts/view';
import { closeInterrupted } from './interrupted';
import '../../style/ui.css';
import '../../style/report.css';

/** Characters of a text summary that are shown. */
const MAX_SUMMARY = 20_000;

/** What the renderer of an output has besides the data. */
interface IHost {
  trans: IRenderMime.TranslationBundle;
  bus: ReportBus;
  opened: Map<string, boolean>;
}

/** Draw the report that an output holds. The node is up to date on return. */
export function drawReport(
  root: Root,
  output: ReportOutput,
  { trans, bus, opened }: IHost
): void {
  const { data } = output;
  const read = readReport(data[REPORT_MIME]);
  const report = read.kind === 'report' ? read.report : null;
  const summary = summaryOf(data['text/plain']);
  const state = report && bus.stateOf(output);
  const content = report ? (
    <Report
      report={
        report.state === 'running' && (state?.isLost || state?.isUnheard)
          ? closeInterrupted(report, state, trans)
          : report
      }
    />
  ) : (
    <Undrawn
      version={read.kind === 'unknown version' ? read.version : null}
      summary={summary}
    />
  );
  // An action is for an output of an open notebook, or does nothing.
  const actions = state ? actionsFor(output, bus.actions) : {};
  flushSync(() => {
    root.render(
      <TransContext.Provider value={trans}>
        <ViewContext.Provider
          value={{
            actions,
            state,
            summary,
            forModel: textForModel({ output }),
            opened
          }}
        >
          {content}
        </ViewContext.Provider>
      </TransContext.Provider>
    );
  });
}

/** The actions, for this output and no other. */
function actionsFor(
  output: ReportOutput,
  actions: Readonly<IReportActions>
): IOutputActions {
  const { revealCell, ...others } = actions;
  const bound = Object.entries(others).map(([name, act]) => [
    name,
    () => act(output)
  ]);
  return {
    ...Object.fromEntries(bound),
    ...(revealCell && {
      revealCell: (cellId, line) => revealCell(output, cellId, line)
    })
  };
}

export { createRoot };

/** The text fallback; nbformat allows a list of lines. */
function summaryOf(text: unknown): string {
  const lines = Array.isArray(text) ? text : [text];
  return lines
    .filter((line): line is string => typeof line === 'string')
    .join('')
    .slice(0, MAX_SUMMARY);
}
