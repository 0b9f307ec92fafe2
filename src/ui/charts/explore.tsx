/**
 * Values by pointing or by arrow keys: one tab stop a chart, whatever it holds.
 *
 * In: what each mark says, in the order of the arrow keys. Out: a group whose
 * marks take the pointer, and a line that says the value of the one in focus.
 */
import * as React from 'react';
import { useTrans } from '../trans';

interface IExplored {
  active: number | null;
  point: (mark: number | null) => void;
}

const ExploreContext = React.createContext<IExplored>({
  active: null,
  point: () => undefined
});

interface IExploreProps {
  /** The name of the chart. */
  label: string;
  values: readonly string[];
  children: React.ReactNode;
}

export function Explore(props: IExploreProps): React.JSX.Element {
  const trans = useTrans();
  const { label, values, children } = props;
  const [active, point] = React.useState<number | null>(null);
  // A running report may lose marks.
  const said = active === null ? undefined : values[active];
  const explored = React.useMemo(() => ({ active, point }), [active]);
  const onKeyDown = (event: React.KeyboardEvent<HTMLDivElement>) => {
    const node = event.currentTarget;
    const scrolls = node.scrollWidth > node.clientWidth;
    const next = moved(event.key, active, values.length, scrolls);
    if (next !== undefined) {
      event.preventDefault();
      point(next);
    }
  };
  return (
    <>
      <div
        className="jp-KernelReport-scroll"
        role="group"
        aria-label={label}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => point(null)}
        onPointerLeave={() => point(null)}
      >
        <ExploreContext.Provider value={explored}>
          {children}
        </ExploreContext.Provider>
      </div>
      <p className="jp-KernelReport-readout" aria-live="polite">
        {said ?? (
          <span>
            {trans.__('Point at a row or mark, or use the arrow keys.')}
          </span>
        )}
      </p>
    </>
  );
}

/** What makes a row or a mark number `mark` of the chart around it. */
export function useMark(mark: number): {
  className: string;
  onPointerEnter: () => void;
} {
  const { active, point } = React.useContext(ExploreContext);
  return {
    className: active === mark ? 'jp-mod-active' : '',
    onPointerEnter: () => point(mark)
  };
}

/** Where a key leads; undefined where it is not for the chart. */
function moved(
  key: string,
  active: number | null,
  count: number,
  scrolls: boolean
): number | null | undefined {
  if (count === 0) {
    return undefined;
  }
  switch (key) {
    case 'ArrowRight':
    case 'ArrowLeft':
      // Where the chart is wider than its report, these move it.
      if (scrolls) {
        return undefined;
      }
      return key === 'ArrowRight' ? next() : previous();
    case 'ArrowDown':
      return next();
    case 'ArrowUp':
      return previous();
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    case 'Escape':
      return active === null ? undefined : null;
    default:
      return undefined;
  }

  function next(): number {
    return active === null ? 0 : Math.min(count - 1, active + 1);
  }

  function previous(): number {
    return active === null ? count - 1 : Math.max(0, active - 1);
  }
}
