/** How the attempts at a problem went, from the first on: a disc is right, and the higher the faster; a cross is not. */

import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { resultWords } from '../../ui/words';
import { IAttempt, isSaved } from './attempts';

const STEP = 12;
const HEIGHT = 28;
const EDGE = 6;
/** The newest stand in the narrowest panel. */
const MOST = 14;

interface ISparklineProps {
  points: readonly IAttempt[];
  trans: TranslationBundle;
}

export function Sparkline({
  points,
  trans
}: ISparklineProps): React.JSX.Element {
  const shown = points.slice(-MOST);
  const y = heights(shown);
  const words = shown.map(
    ({ run }) => `#${run.number} ${resultWords(run, trans)}`
  );
  const right = shown.flatMap(({ isRight }, n) =>
    isRight ? [`${x(n)},${y[n]}`] : []
  );
  return (
    <svg
      className="jp-KernelPanel-sparkline"
      role="img"
      aria-label={trans.__('Attempts: %1', words.join('; '))}
      width={(shown.length - 1) * STEP + 2 * EDGE}
      height={HEIGHT}
    >
      <polyline points={right.join(' ')} />
      {shown.map(({ run, isRight }, n) => (
        <g
          key={run.id}
          className={isSaved(run) ? 'jp-mod-saved' : undefined}
          transform={`translate(${x(n)} ${y[n]})`}
        >
          <title>{words[n]}</title>
          {isRight ? <circle r="3.5" /> : <path d="M-3 -3L3 3M-3 3L3 -3" />}
        </g>
      ))}
    </svg>
  );
}

function x(n: number): number {
  return EDGE + n * STEP;
}

/** What is right stands in the upper half, the faster the higher; what is not, at the bottom. */
function heights(points: readonly IAttempt[]): number[] {
  const logs = points.flatMap(({ ratio }) =>
    ratio === null ? [] : [Math.log(ratio)]
  );
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const [top, bottom] = [EDGE, HEIGHT - EDGE];
  const middle = (top + bottom) / 2;
  return points.map(({ isRight, ratio }) => {
    if (!isRight) {
      return bottom;
    }
    return ratio === null || !(high > low)
      ? top
      : middle - ((Math.log(ratio) - low) / (high - low)) * (middle - top);
  });
}
