/**
 * Draws one report into a node. Loaded when the first report of a page is shown,
 * because React's parts and the validator are not needed before.
 */
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import * as React from 'react';
import { flushSync } from 'react-dom';
import { createRoot, type Root } from 'react-dom/client';
import { REPORT_MIME } from '../report/mimetype';
import { readReport } from '../report/validate';
import { Report } from './components/report';
import { Undrawn } from './components/undrawn';
import { ViewContext, type IView } from './components/view';
import { closeLost } from './lost';

/** Characters of a text summary that are shown. */
const MAX_SUMMARY = 20_000;

/**
 * Draw the report of `data`, a whole MIME bundle, and return its run id, or null
 * where there is no report that can be drawn. The node is up to date on return.
 */
export function drawReport(
  root: Root,
  data: ReadonlyPartialJSONObject,
  view: IView
): string | null {
  const read = readReport(data[REPORT_MIME]);
  const content =
    read.kind === 'report' ? (
      <Report
        report={
          read.report.state === 'running' && view.isLost(read.report.run)
            ? closeLost(read.report, view.trans)
            : read.report
        }
      />
    ) : (
      <Undrawn
        version={read.kind === 'unknown version' ? read.version : null}
        summary={summaryOf(data['text/plain'])}
      />
    );
  flushSync(() => {
    root.render(
      <ViewContext.Provider value={view}>{content}</ViewContext.Provider>
    );
  });
  return read.kind === 'report' ? read.report.run : null;
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
