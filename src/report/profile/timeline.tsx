import * as React from 'react';
import {
  formatCount,
  formatDuration,
  formatDurations,
  formatNumber,
  timeUnit
} from '../../ui/format';
import { roleOf, type Phase } from '../../model/speed';
import type { ILaunch, IProfile, ITiming } from '../../model/types';
import { Axis } from '../../ui/charts/axis';
import { Chart, percent } from '../../ui/charts/chart';
import { Explore, useMark } from '../../ui/charts/explore';
import { kindOf, type MarkKind } from '../../ui/charts/marks';
import { linear, type IScale } from '../../ui/charts/scale';
import { shortName } from './kernelName';
import { phaseName } from '../parts/labels';
import { upperFirst } from '../../ui/words';
import { useTrans } from '../../ui/trans';

/** Letters that fit into a percent of the width of a narrow report. */
const LETTERS_A_PERCENT = 0.48;
const LANE = 14;
/** Streams that get a lane of their own; others share the last. */
const MAX_LANES = 4;

interface ITimelineProps {
  profile: IProfile;
  timing: ITiming | null;
  phase: Phase;
  /** Whether the program was called in phases; a cell of a notebook was not. */
  phased: boolean;
}

/** Whether no device was traced: the host's operators are what there is to see. */
export function isOfOperators({ timeline }: IProfile): boolean {
  return timeline.length > 0 && timeline.every(isHost);
}

/** One bar a launch, all programs on one axis; gaps stay empty. */
export function Timeline(props: ITimelineProps): React.JSX.Element | null {
  const trans = useTrans();
  const { timing, phase, phased } = props;
  const bars = props.profile.timeline.filter(one => one.phase === phase);
  const programs = [...new Set(bars.map(({ program }) => program))].sort(
    (a, b) => place(a) - place(b)
  );
  const end = Math.max(0, ...bars.map(bar => bar.start_s + bar.seconds));
  if (end === 0) {
    return null;
  }
  const scale = linear(0, end, false);
  const [unit, second] = timeUnit(end);
  const ofOperators = isOfOperators(props.profile);
  const hasHost = !ofOperators && bars.some(isHost);
  const rows = programs.map(program => {
    const own = bars.filter(bar => bar.program === program);
    const main = own.filter(bar => ofOperators || !isHost(bar));
    const count = main.filter(isCounted).length;
    return { program, own, count, total: endOf(main) };
  });
  const totals = formatDurations(rows.map(({ total }) => total));
  const ordered = rows.flatMap(({ own }) => own);
  const timeline = ofOperators
    ? trans.__('Operator timeline')
    : trans.__('Kernel timeline');
  const name = phased
    ? trans.__('%1, %2', timeline, phaseName(phase, trans).toLowerCase())
    : timeline;
  return (
    <div>
      <Explore label={name} values={ordered.map(said)}>
        <table className="jp-KernelReport-table jp-mod-strips">
          <caption>
            {name} <small>{hint()}</small>
          </caption>
          <thead>
            <tr>
              <th scope="col">{trans.__('Program')}</th>
              <th scope="col" className="jp-mod-chart">
                {phased
                  ? trans.__('%1 since the start of the call', unit)
                  : trans.__('%1 since the start', unit)}
              </th>
              <th scope="col" className="jp-mod-number">
                {ofOperators ? trans.__('Operators') : trans.__('Launches')}
              </th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Total')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ program, own, count }, n) => (
              <tr key={program} className={roleClass(program)}>
                <th scope="row">
                  {roleOf(timing, program) === 'candidate' || !phased
                    ? upperFirst(program)
                    : program}
                </th>
                <td className="jp-mod-chart">
                  <Lanes
                    bars={own}
                    first={ordered.indexOf(own[0] as ILaunch)}
                    kind={kindOf(roleOf(timing, program), false)}
                    scale={scale}
                    hasHost={hasHost}
                    title={trans.__(
                      '%1: %2, %3',
                      program,
                      ofOperators
                        ? trans._n('%1 operator', '%1 operators', count)
                        : trans._n('%1 launch', '%1 launches', count),
                      totals[n] ?? ''
                    )}
                    desc={own.slice(0, 20).map(said).join('. ')}
                  />
                </td>
                <td className="jp-mod-number">{formatCount(count)}</td>
                <td className="jp-mod-number">{totals[n]}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td />
              <td className="jp-mod-chart">
                <Chart
                  height={20}
                  title={trans.__('Time axis to %1', formatDuration(end))}
                >
                  <Axis
                    scale={scale}
                    y={1}
                    label={tick => formatNumber(tick / second, 4)}
                  />
                </Chart>
              </td>
              <td colSpan={2} />
            </tr>
          </tfoot>
        </table>
      </Explore>
    </div>
  );

  function hint(): string {
    if (ofOperators) {
      return trans.__('one bar an operator; gaps stay empty');
    }
    return hasHost
      ? trans.__('one bar a launch, thin: on the host; gaps stay empty')
      : trans.__('one bar a launch; gaps stay empty');
  }

  function place(program: string): number {
    return { candidate: 0, other: 1, reference: 2 }[roleOf(timing, program)];
  }

  function roleClass(program: string): string | undefined {
    return roleOf(timing, program) === 'candidate'
      ? 'jp-mod-candidate'
      : undefined;
  }

  function said(bar: ILaunch): string {
    const words = trans.__(
      '%1: %2, %3, from %4',
      bar.program,
      bar.name,
      formatDuration(bar.seconds),
      bar.start_s > 0 ? formatDuration(bar.start_s) : '0'
    );
    return isHost(bar) ? words : trans.__('%1, stream %2', words, bar.stream);
  }
}

interface ILanesProps {
  bars: ILaunch[];
  /** The number of the first mark. */
  first: number;
  kind: MarkKind;
  scale: IScale;
  hasHost: boolean;
  title: string;
  desc: string;
}

/** A lane a stream, and a thin one for the host above them. */
function Lanes(props: ILanesProps): React.JSX.Element {
  const { bars, kind, scale } = props;
  const thin = (bar: ILaunch) => props.hasHost && isHost(bar);
  const streams = [
    ...new Set(bars.filter(bar => !thin(bar)).map(({ stream }) => stream))
  ];
  const lanes = Math.max(1, Math.min(streams.length, MAX_LANES));
  const top = props.hasHost ? 9 : 4;
  const labels = top + lanes * LANE + 12;
  return (
    <Chart height={labels + 4} title={props.title} desc={props.desc}>
      {bars.map((bar, n) => {
        const lane = Math.min(streams.indexOf(bar.stream), MAX_LANES - 1);
        const share =
          scale.at(bar.start_s + bar.seconds) - scale.at(bar.start_s);
        return (
          <LaunchBar
            key={n}
            mark={props.first + n}
            className={`jp-KernelChart-${kind}${thin(bar) ? ' jp-mod-host' : ''}`}
            x={scale.at(bar.start_s)}
            width={share}
            y={thin(bar) ? 2 : top + lane * LANE}
            height={thin(bar) ? 4 : LANE - 2}
            // A label that does not fit stays with the values.
            label={
              lanes === 1 && !thin(bar)
                ? fitting(bar, share * LETTERS_A_PERCENT)
                : ''
            }
            labelY={labels}
          />
        );
      })}
    </Chart>
  );
}

interface ILaunchBarProps {
  mark: number;
  className: string;
  x: number;
  width: number;
  y: number;
  height: number;
  label: string;
  labelY: number;
}

function LaunchBar(props: ILaunchBarProps): React.JSX.Element {
  const { className, ...pointed } = useMark(props.mark);
  return (
    <g {...pointed} className={className}>
      <rect
        className={props.className}
        x={percent(props.x)}
        y={props.y}
        // A gap of a px parts launches that follow each other at once.
        style={{ width: `max(1px, calc(${percent(props.width)} - 1px))` }}
        height={props.height}
      />
      {props.label && (
        <text x={percent(props.x)} y={props.labelY}>
          {props.label}
        </text>
      )}
    </g>
  );
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

function isHost({ kind }: ILaunch): boolean {
  return kind === 'launch' || kind === 'operator';
}

/** Copies and fills have bars as well, and are none of the kernels that the report counts. */
function isCounted({ kind }: ILaunch): boolean {
  return kind === 'kernel' || kind === 'operator';
}

/** From the start of the first bar to the end of the last. */
function endOf(bars: ILaunch[]): number {
  return bars.length === 0
    ? 0
    : Math.max(...bars.map(bar => bar.start_s + bar.seconds)) -
        Math.min(...bars.map(bar => bar.start_s));
}
