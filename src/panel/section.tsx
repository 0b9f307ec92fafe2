import * as React from 'react';

interface IAccordionProps {
  title: string;
  /** Shown at the right of the title: a count. */
  note?: string;
  children: React.ReactNode;
}

/** A section of the panel that folds; open at first. */
export function Accordion({
  title,
  note,
  children
}: IAccordionProps): React.JSX.Element {
  return (
    <details className="jp-KernelPanel-section" open>
      <summary>
        {title}
        {note !== undefined && <em>{note}</em>}
      </summary>
      <div className="jp-KernelPanel-body">{children}</div>
    </details>
  );
}
