import * as React from 'react';

import { Glyph } from '../../ui/glyph';
import { IAppearance } from '../../ui/appearance';

interface INoticeProps {
  appearance: IAppearance;
  title: string;
  children?: React.ReactNode;
}

/** A state in words: what it is, then what it means or what to do. */
export function Notice({
  appearance,
  title,
  children
}: INoticeProps): React.JSX.Element {
  return (
    <div className="jp-KernelPanel-notice">
      <Glyph appearance={appearance} small />
      <div>
        <b>{title}</b>
        {children}
      </div>
    </div>
  );
}
