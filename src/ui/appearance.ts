/** What a report looks like for what it says: the colour of its frame and its glyph. */
import { speedVerdict } from '../model/speed';
import type { IReport, IRow, ISpeed } from '../model/types';

/** Names of CSS modifiers: `jp-mod-pass`, and so on. */
export type Tone = 'pass' | 'fail' | 'warn' | 'info' | 'running' | 'none';

/** Each has a shape of its own, so that colour only repeats it. */
export type Shape =
  | 'check'
  | 'cross'
  | 'clock'
  | 'square'
  | 'half'
  | 'question'
  | 'minus'
  | 'alert'
  | 'faster'
  | 'slower'
  | 'same'
  | 'other'
  | 'running'
  | 'waiting';

export interface IAppearance {
  tone: Tone;
  shape: Shape;
}

const UNDECIDED: IAppearance = { tone: 'none', shape: 'minus' };

/** Right for its problem, and not beyond it. */
export const RESERVED: IAppearance = { tone: 'warn', shape: 'alert' };

/** How to draw a whole report. */
export function appearanceOf(report: IReport): IAppearance {
  if (report.state === 'running') {
    return { tone: 'running', shape: 'running' };
  }
  switch (report.verdict?.kind) {
    case 'pass':
      return appearanceOfPass(report);
    case 'read':
    case 'build':
    case 'wrong':
    case 'fault':
      return { tone: 'fail', shape: 'cross' };
    case 'weak':
      return { tone: 'info', shape: 'question' };
    case 'timeout':
      return { tone: 'warn', shape: 'clock' };
    case 'cancelled':
      return { tone: 'none', shape: 'square' };
    case 'refused':
      return { tone: 'info', shape: 'minus' };
    case 'environment':
    case 'internal':
      return { tone: 'warn', shape: 'alert' };
    default:
      return UNDECIDED;
  }
}

function appearanceOfPass(report: IReport): IAppearance {
  if (report.verdict?.outcome !== 'pass') {
    return { tone: 'info', shape: 'question' };
  }
  // Before its speed: a program that is right only here is no plain pass.
  if (report.verdict.obstacle || report.verdict.untried) {
    return RESERVED;
  }
  switch (speedVerdict(report)) {
    case 'SLOWER':
      return { tone: 'warn', shape: 'slower' };
    case 'SAME':
      return { tone: 'none', shape: 'same' };
    case 'UNCLEAR':
      return { tone: 'info', shape: 'question' };
  }
  // Half of what a GPU would prove: right, but neither timed nor run there.
  return report.device.kind === 'cuda'
    ? { tone: 'pass', shape: 'check' }
    : { tone: 'info', shape: 'half' };
}

/** How to draw a speed in a row; null is other arithmetic, which has no verdict. */
export function appearanceOfSpeed(verdict: ISpeed['verdict']): IAppearance {
  switch (verdict) {
    case 'FASTER':
      return { tone: 'pass', shape: 'faster' };
    case 'SLOWER':
      return { tone: 'warn', shape: 'slower' };
    case 'SAME':
      return { tone: 'none', shape: 'same' };
    case 'UNCLEAR':
      return { tone: 'info', shape: 'question' };
    case null:
      return { tone: 'warn', shape: 'other' };
  }
}

/** How to draw what a row of a report came to. */
export function appearanceOfState(
  state: NonNullable<IRow['state']>
): IAppearance {
  switch (state) {
    case 'pass':
      return { tone: 'pass', shape: 'check' };
    case 'fail':
      return { tone: 'fail', shape: 'cross' };
    case 'unsupported':
      return { tone: 'none', shape: 'minus' };
    case 'not run':
      return { tone: 'none', shape: 'waiting' };
    case 'unclear':
      return { tone: 'info', shape: 'question' };
    default:
      return appearanceOfSpeed(state);
  }
}
