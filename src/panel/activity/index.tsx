import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { formatCount } from '../../ui/format';
import { IKernelRequest } from '../../tokens';

const CLOCK: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23'
};

interface IActivityProps {
  /** Newest first. */
  requests: readonly IKernelRequest[];
  trans: TranslationBundle;
}

/** What was sent to the kernel: the last request, and the list behind it. */
export function Activity({
  requests,
  trans
}: IActivityProps): React.JSX.Element {
  const last = requests[0];
  return (
    <details className="jp-KernelPanel-activity">
      <summary>
        <span aria-hidden="true">›_</span>
        <span className="jp-KernelPanel-sent">
          {trans.__('Sent:')} <code>{last?.text ?? trans.__('nothing')}</code>
        </span>
        <span>{last && outcomeWords(last, trans)}</span>
      </summary>
      {requests.length > 0 && (
        <table>
          <caption className="jp-KernelPanel-hidden">
            {trans.__('Requests sent to the kernel, newest first')}
          </caption>
          <thead>
            <tr>
              <th scope="col">{trans.__('Time')}</th>
              <th scope="col">{trans.__('Sent')}</th>
              <th scope="col">{trans.__('Took')}</th>
            </tr>
          </thead>
          <tbody>
            {requests.map(request => (
              <tr key={request.id}>
                <td className="jp-mod-narrow">
                  {request.at.toLocaleTimeString([], CLOCK)}
                </td>
                <td>
                  <code>{request.text}</code>
                </td>
                <td className="jp-mod-narrow">
                  {outcomeWords(request, trans)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p>{trans.__('Nothing is sent while this panel is hidden.')}</p>
    </details>
  );
}

function outcomeWords(
  { outcome, took_ms }: IKernelRequest,
  trans: TranslationBundle
): string {
  switch (outcome) {
    case 'queued':
      return trans.__('queued');
    case 'sent':
      return trans.__('sent');
    case 'dropped':
      return trans.__('not sent');
    case 'failed':
      return trans.__('failed');
    case 'done':
      return trans.__('%1 ms', formatCount(Math.max(1, took_ms ?? 0)));
  }
}
