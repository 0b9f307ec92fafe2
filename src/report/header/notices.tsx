import * as React from 'react';
import type { IReport } from '../../model/types';
import { Glyph } from '../../ui/glyph';
import { useView } from '../parts/view';
import { useTrans } from '../../ui/trans';

/** Says that the report was saved with the notebook: whoever wrote the file wrote it. */
export function Saved({ report }: { report: IReport }): React.JSX.Element {
  const trans = useTrans();
  return (
    <Notice
      about={report.candidate.label}
      button={trans.__('Verify again')}
      title={trans.__('From the file, not run here.')}
      text={trans.__(
        'Whoever wrote the notebook may have written this report.'
      )}
    />
  );
}

/** Says that the report speaks of a program that the cell no longer holds. */
export function Stale({ report }: { report: IReport }): React.JSX.Element {
  const trans = useTrans();
  const { state } = useView();
  const { label } = report.candidate;
  return (
    <Notice
      about={label}
      // The notice above has it.
      button={state?.heardAt === null ? null : trans.__('Run again')}
      title={trans.__('Older than the cell.')}
      text={trans.__(
        'The code of %1 was edited after this report, which speaks of the earlier code.',
        label
      )}
    />
  );
}

interface INoticeProps {
  /** What is run again. */
  about: string;
  /** Null for none. */
  button: string | null;
  title: string;
  text: string;
}

function Notice({
  about,
  button,
  title,
  text
}: INoticeProps): React.JSX.Element {
  const trans = useTrans();
  const { actions } = useView();
  const { runAgain } = actions;
  return (
    <div
      className="jp-KernelReport-notice"
      role="note"
      aria-label={title.replace(/\.$/, '')}
    >
      <Glyph appearance={{ tone: 'warn', shape: 'alert' }} small />
      <span>
        <b>{title}</b> {text}
      </span>
      {runAgain && button !== null && (
        <button
          type="button"
          className="jp-KernelReport-button"
          aria-label={trans.__('%1: %2', button, about)}
          onClick={() => runAgain()}
        >
          {button}
        </button>
      )}
    </div>
  );
}
