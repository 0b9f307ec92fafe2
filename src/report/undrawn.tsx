import * as React from 'react';
import { REPORT_VERSION } from '../model/mimeType';
import { Frame } from './parts/frame';
import { Glyph } from '../ui/glyph';
import { useTrans } from '../ui/trans';

interface IUndrawnProps {
  /** The version of a report of another version; null if it is not a report. */
  version: number | null;
  /** The report's own text, from the same bundle; may be empty. */
  summary: string;
}

/** Stands for a report that this extension cannot read. */
export function Undrawn({
  version,
  summary
}: IUndrawnProps): React.JSX.Element {
  const trans = useTrans();
  const headingId = React.useId();
  return (
    <Frame tone="none" headingId={headingId}>
      <header className="jp-KernelReport-header">
        <h3 id={headingId}>
          {version !== null && version > REPORT_VERSION
            ? trans.__('Report from a newer version')
            : trans.__('KernelGate report')}
        </h3>
        <p>
          {version === null
            ? trans.__('its data is not a report of version %1', REPORT_VERSION)
            : trans.__(
                'report version %1; this extension reads version %2',
                version,
                REPORT_VERSION
              )}
        </p>
      </header>
      <div className="jp-KernelReport-verdict">
        <Glyph appearance={{ tone: 'none', shape: 'minus' }} />
        <div className="jp-KernelReport-words">
          <h4>
            <span role="status">
              {summary
                ? trans.__(
                    'This report cannot be drawn here; its text summary is below'
                  )
                : trans.__('This report cannot be drawn here')}
            </span>
          </h4>
          <p>
            {version === null
              ? trans.__('Run the cell again for a new one.')
              : trans.__('Update the extension to see it drawn.')}{' '}
            {trans.__('The stored data is untouched.')}
          </p>
        </div>
      </div>
      {summary && (
        <div className="jp-KernelReport-body">
          <pre
            className="jp-KernelReport-pre"
            tabIndex={0}
            role="group"
            aria-label={trans.__('Text summary')}
          >
            {summary}
          </pre>
        </div>
      )}
    </Frame>
  );
}
