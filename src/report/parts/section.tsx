import * as React from 'react';
import { useView } from './view';

interface ISectionProps {
  /** The same in every language; what the person opened is kept by it. */
  id: string;
  name: string;
  /** Said while the section is closed; opening it only adds evidence. */
  conclusion: string;
  /** It opens by itself only if it holds a failure. */
  failing?: boolean;
  children: React.ReactNode;
}

/** A fold of a report that states its conclusion. */
export function Section(props: ISectionProps): React.JSX.Element {
  const { opened } = useView();
  const [open, setOpen] = React.useState(
    opened.get(props.id) ?? props.failing ?? false
  );
  return (
    <details
      className="jp-KernelReport-section"
      open={open}
      onToggle={event => {
        opened.set(props.id, event.currentTarget.open);
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <b>{props.name}</b> <span>{props.conclusion}</span>
      </summary>
      <div className="jp-KernelReport-inside">{props.children}</div>
    </details>
  );
}
