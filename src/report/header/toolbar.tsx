import * as React from 'react';

interface IToolbarProps {
  name: string;
  /** Buttons; what is null or false is left out. */
  children: React.ReactNode;
}

/** Buttons in a row that are one tab stop; the arrow keys go along them. */
export function Toolbar({ name, children }: IToolbarProps): React.JSX.Element {
  const [stop, setStop] = React.useState(0);
  const buttons = React.Children.toArray(children).filter(
    (child): child is React.ReactElement<{ tabIndex?: number }> =>
      React.isValidElement(child)
  );
  // A button may disappear while it is the tab stop.
  const current = Math.min(stop, buttons.length - 1);

  function onKeyDown(event: React.KeyboardEvent<HTMLElement>): void {
    const last = buttons.length - 1;
    const next = {
      ArrowRight: current === last ? 0 : current + 1,
      ArrowLeft: current === 0 ? last : current - 1,
      Home: 0,
      End: last
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setStop(next);
      event.currentTarget.querySelectorAll('button')[next]?.focus();
    }
  }

  return (
    <div
      className="jp-KernelReport-actions"
      role="toolbar"
      aria-label={name}
      onKeyDown={onKeyDown}
      onFocus={event => {
        const all = event.currentTarget.querySelectorAll('button');
        const focused = Array.from<Element>(all).indexOf(event.target);
        if (focused >= 0) {
          setStop(focused);
        }
      }}
    >
      {buttons.map((button, n) =>
        React.cloneElement(button, { tabIndex: n === current ? 0 : -1 })
      )}
    </div>
  );
}
