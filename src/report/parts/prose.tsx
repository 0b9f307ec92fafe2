import * as React from 'react';

/** Words of a report in which a name stands between backticks: it is drawn as code, without them. */
export function Prose({ text }: { text: string }): React.JSX.Element {
  // Every second part was between two backticks.
  const parts = text.split(/`([^`]+)`/);
  return (
    <>{parts.map((part, n) => (n % 2 ? <code key={n}>{part}</code> : part))}</>
  );
}
