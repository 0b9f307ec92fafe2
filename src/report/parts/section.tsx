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

/**
 * A fold of a report that states its conclusion. What is in a closed one is drawn
 * right after the report is on the page, in slices that a person does not feel,
 * so that the browser's search finds it; until then the fold is busy.
 */
export function Section(props: ISectionProps): React.JSX.Element {
  const { opened } = useView();
  const [open, setOpen] = React.useState(
    opened.get(props.id) ?? props.failing ?? false
  );
  const [isDrawn, setIsDrawn] = React.useState(open);
  React.useEffect(() => {
    React.startTransition(() => setIsDrawn(true));
  }, []);
  return (
    <details
      className="jp-KernelReport-section"
      open={open}
      aria-busy={!open && !isDrawn ? true : undefined}
      onToggle={event => {
        opened.set(props.id, event.currentTarget.open);
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <b>{props.name}</b> <span>{props.conclusion}</span>
      </summary>
      <div className="jp-KernelReport-inside">
        {(open || isDrawn) && props.children}
      </div>
    </details>
  );
}
