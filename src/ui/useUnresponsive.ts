import * as React from 'react';

/** A kernel that has not stopped this long after a cancel may never stop. */
const PATIENCE_MS = 5000;

/** Whether a cancel that was pressed has had no effect for five seconds. */
export function useUnresponsive(pressed: boolean): boolean {
  const [ignored, setIgnored] = React.useState(false);

  React.useEffect(() => {
    setIgnored(false);
    if (pressed) {
      const timer = setTimeout(() => setIgnored(true), PATIENCE_MS);
      return () => clearTimeout(timer);
    }
  }, [pressed]);

  return ignored;
}
