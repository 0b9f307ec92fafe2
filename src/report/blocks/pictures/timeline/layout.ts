/**
 * The timeline's geometry: one bar a launch, all programs on one axis.
 *
 * In: the launches of a profile. Out: a row a program, with its bars in lanes: `x`
 * and widths in percent, `y` and heights in px. Not here: what bars say.
 */
import { roleOf, type Phase } from '../../../../model/speed';
import type { ILaunch, IProfile, ITiming } from '../../../../model/types';
import { linear, type IScale } from '../../../../ui/charts/scale';
import { formatDuration } from '../../../../ui/format';
import { shortName } from '../../../parts/kernelName';

/** Letters that fit into a percent of the width of a narrow report. */
const LETTERS_A_PERCENT = 0.48;
const LANE = 14;
/** Streams that get a lane of their own; others share the last. */
const MAX_LANES = 4;

export interface IBar {
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
  /** Of the host, above the lanes of the device. */
  readonly isThin: boolean;
  /** What fits below it; empty where nothing does. */
  readonly label: string;
}

export interface ILanes {
  readonly height: number;
  readonly labelY: number;
  readonly bars: readonly IBar[];
}

export interface ITimelineRow {
  readonly program: string;
  readonly launches: readonly ILaunch[];
  /** The number of its first bar among those of all rows. */
  readonly firstMark: number;
  /** Kernels, or operators where no device was traced. */
  readonly count: number;
  readonly totalS: number;
  readonly lanes: ILanes;
}

export interface ITimelineLayout {
  readonly scale: IScale;
  readonly endS: number;
  readonly isOfOperators: boolean;
  readonly hasHost: boolean;
  readonly rows: readonly ITimelineRow[];
}

/** Of one phase, or of the part of it that is looked at; null if nothing ran in it. */
export function layout(
  profile: IProfile,
  timing: ITiming | null,
  phase: Phase,
  part?: { readonly from: number; readonly to: number }
): ITimelineLayout | null {
  const all = profile.timeline.filter(one => one.phase === phase);
  const endS = Math.max(0, ...all.map(bar => bar.start_s + bar.seconds));
  if (endS === 0) {
    return null;
  }
  const scale = linear(part?.from ?? 0, part?.to ?? endS, false);
  const ofOperators = isOfOperators(profile);
  const hasHost = !ofOperators && all.some(isHost);
  const place = (program: string) =>
    ({ candidate: 0, other: 1, reference: 2 })[roleOf(timing, program)];
  const programs = [...new Set(all.map(({ program }) => program))].sort(
    (a, b) => place(a) - place(b)
  );
  let firstMark = 0;
  const rows = programs.map(program => {
    const launches = all.filter(bar => bar.program === program);
    const main = launches.filter(bar => ofOperators || !isHost(bar));
    const row = {
      program,
      launches,
      firstMark,
      count: main.filter(isCounted).length,
      totalS: spanOf(main),
      lanes: lanesOf(launches, scale, hasHost)
    };
    firstMark += launches.length;
    return row;
  });
  return { scale, endS, isOfOperators: ofOperators, hasHost, rows };
}

/** Whether no device was traced: the host's operators are what there is to see. */
export function isOfOperators({ timeline }: IProfile): boolean {
  return timeline.length > 0 && timeline.every(isHost);
}

export function isHost({ kind }: ILaunch): boolean {
  return kind === 'launch' || kind === 'operator';
}

/** Copies and fills have bars as well, and are none of the kernels that the report counts. */
function isCounted({ kind }: ILaunch): boolean {
  return kind === 'kernel' || kind === 'operator';
}

/** From the start of the first bar to the end of the last, in seconds. */
function spanOf(bars: readonly ILaunch[]): number {
  return bars.length === 0
    ? 0
    : Math.max(...bars.map(bar => bar.start_s + bar.seconds)) -
        Math.min(...bars.map(bar => bar.start_s));
}

/** A lane a stream, and a thin one for the host above them. */
function lanesOf(
  launches: readonly ILaunch[],
  scale: IScale,
  hasHost: boolean
): ILanes {
  const isThin = (bar: ILaunch) => hasHost && isHost(bar);
  const streams = [
    ...new Set(launches.filter(bar => !isThin(bar)).map(({ stream }) => stream))
  ];
  const count = Math.max(1, Math.min(streams.length, MAX_LANES));
  const top = hasHost ? 9 : 4;
  const labelY = top + count * LANE + 12;
  return {
    height: labelY + 4,
    labelY,
    bars: launches.map(bar => {
      const lane = Math.min(streams.indexOf(bar.stream), MAX_LANES - 1);
      const x = scale.at(bar.start_s);
      const width = scale.at(bar.start_s + bar.seconds) - x;
      const thin = isThin(bar);
      return {
        x,
        width,
        y: thin ? 2 : top + lane * LANE,
        height: thin ? 4 : LANE - 2,
        isThin: thin,
        // A label that does not fit stays with the values.
        label:
          count === 1 && !thin ? fitting(bar, width * LETTERS_A_PERCENT) : ''
      };
    })
  };
}

/** "leaky_relu_forward 3.15 ms", as much of it as fits; empty where that says nothing. */
function fitting(bar: ILaunch, letters: number): string {
  const time = formatDuration(bar.seconds);
  const room = Math.floor(letters) - time.length - 1;
  const name = shortName(bar.name);
  if (room < 4) {
    return letters > time.length ? time : '';
  }
  return `${name.length <= room ? name : `${name.slice(0, room - 1)}…`} ${time}`;
}
