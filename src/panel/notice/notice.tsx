import * as React from 'react';

import { Glyph } from '../../mime/components/glyph';
import { ILook } from '../../mime/look';

interface INoticeProps {
  look: ILook;
  title: string;
  children?: React.ReactNode;
}

/** A state in words: what it is, then what it means or what to do. */
export function Notice({
  look,
  title,
  children
}: INoticeProps): React.JSX.Element {
  return (
    <div className="jp-KernelPanel-notice">
      <Glyph look={look} small />
      <div>
        <b>{title}</b>
        {children}
      </div>
    </div>
  );
}
