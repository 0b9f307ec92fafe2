/** One bar a launch, all programs on one axis; gaps stay empty. */
import * as React from 'react';
import { roleOf, type Phase } from '../../../model/speed';
import type { ILaunch, IProfile, ITiming } from '../../../model/types';
import { Chart, percent } from '../../../ui/charts/chart';
import { Explore, useMark } from '../../../ui/charts/explore';
import { kindOf, type MarkKind } from '../../../ui/charts/marks';
import {
  formatCount,
  formatDuration,
  formatDurations,
  formatNumber,
  timeUnit
} from '../../../ui/format';
import { Table, type IColumn, type IRow } from '../../../ui/table';
import { useTrans, type Trans } from '../../../ui/trans';
import { upperFirst } from '../../../ui/words';
import { phaseName } from '../../parts/labels';
import {
  isHost,
  layout,
  type IBar,
  type ITimelineLayout,
  type ITimelineRow
} from './layout';

/** Bars that the description of a row names. */
const MAX_DESCRIBED = 20;

interface ITimelineProps {
  profile: IProfile;
  timing: ITiming | null;
  phase: Phase;
  /** Whether the program was called in phases; a cell of a notebook was not. */
  phased: boolean;
}

export function Timeline(props: ITimelineProps): React.JSX.Element | null {
  const trans = useTrans();
  const { profile, timing, phase, phased } = props;
  const chart = layout(profile, timing, phase);
  if (!chart) {
    return null;
  }
  const { rows, scale, endS } = chart;
  const [, second] = timeUnit(endS);
  const totals = formatDurations(rows.map(({ totalS }) => totalS));
  const name = nameOf(chart, phased ? phase : null, trans);
  const launches = rows.flatMap(row => row.launches);
  return (
    <div>
      <Explore
        label={name}
        values={launches.map(launch => launchSaid(launch, trans))}
      >
        <Table
          caption={name}
          hint={hint(chart, trans)}
          kind="strips"
          columns={columns(chart, phased, trans)}
          groups={[
            {
              name: '',
              rows: rows.map((row, n) => {
                const isOurs = roleOf(timing, row.program) === 'candidate';
                return programRow(
                  row,
                  chart,
                  kindOf(roleOf(timing, row.program), false),
                  isOurs || !phased,
                  totals[n] ?? '',
                  trans
                );
              })
            }
          ]}
          foot={{
            title: trans.__('Time axis to %1', formatDuration(endS)),
            scale,
            label: tick => formatNumber(tick / second, 4)
          }}
        />
      </Explore>
    </div>
  );
}

function nameOf(
  { isOfOperators }: ITimelineLayout,
  phase: Phase | null,
  trans: Trans
): string {
  const timeline = isOfOperators
    ? trans.__('Operator timeline')
    : trans.__('Kernel timeline');
  return phase
    ? trans.__('%1, %2', timeline, phaseName(phase, trans).toLowerCase())
    : timeline;
}

function hint({ isOfOperators, hasHost }: ITimelineLayout, trans: Trans) {
  if (isOfOperators) {
    return trans.__('one bar an operator; gaps stay empty');
  }
  return hasHost
    ? trans.__('one bar a launch, thin: on the host; gaps stay empty')
    : trans.__('one bar a launch; gaps stay empty');
}

function columns(
  { isOfOperators, endS }: ITimelineLayout,
  phased: boolean,
  trans: Trans
): IColumn[] {
  const [unit] = timeUnit(endS);
  return [
    { name: trans.__('Program') },
    {
      name: phased
        ? trans.__('%1 since the start of the call', unit)
        : trans.__('%1 since the start', unit),
      kind: 'chart'
    },
    {
      name: isOfOperators ? trans.__('Operators') : trans.__('Launches'),
      kind: 'number'
    },
    { name: trans.__('Total'), kind: 'number' }
  ];
}

function programRow(
  row: ITimelineRow,
  { isOfOperators }: ITimelineLayout,
  kind: MarkKind,
  startsLine: boolean,
  total: string,
  trans: Trans
): IRow {
  const { program, count, launches } = row;
  const counted = isOfOperators
    ? trans._n('%1 operator', '%1 operators', count)
    : trans._n('%1 launch', '%1 launches', count);
  return {
    kind: kind === 'candidate' ? 'candidate' : undefined,
    name: startsLine ? upperFirst(program) : program,
    cells: [
      <Lanes
        row={row}
        kind={kind}
        title={trans.__('%1: %2, %3', program, counted, total)}
        desc={launches
          .slice(0, MAX_DESCRIBED)
          .map(launch => launchSaid(launch, trans))
          .join('. ')}
      />,
      formatCount(count),
      total
    ]
  };
}

function launchSaid(launch: ILaunch, trans: Trans): string {
  const words = trans.__(
    '%1: %2, %3, from %4',
    launch.program,
    launch.name,
    formatDuration(launch.seconds),
    launch.start_s > 0 ? formatDuration(launch.start_s) : '0'
  );
  return isHost(launch)
    ? words
    : trans.__('%1, stream %2', words, launch.stream);
}

interface ILanesProps {
  row: ITimelineRow;
  kind: MarkKind;
  title: string;
  desc: string;
}

function Lanes({ row, kind, title, desc }: ILanesProps): React.JSX.Element {
  const { height, labelY, bars } = row.lanes;
  return (
    <Chart height={height} title={title} desc={desc}>
      {bars.map((bar, n) => (
        <LaunchBar
          key={n}
          mark={row.firstMark + n}
          bar={bar}
          kind={kind}
          labelY={labelY}
        />
      ))}
    </Chart>
  );
}

interface ILaunchBarProps {
  mark: number;
  bar: IBar;
  kind: MarkKind;
  labelY: number;
}

function LaunchBar(props: ILaunchBarProps): React.JSX.Element {
  const { bar, kind } = props;
  const { className, ...pointed } = useMark(props.mark);
  return (
    <g {...pointed} className={className}>
      <rect
        className={`jp-KernelChart-${kind}${bar.isThin ? ' jp-mod-host' : ''}`}
        x={percent(bar.x)}
        y={bar.y}
        // A gap of a px parts launches that follow each other at once.
        style={{ width: `max(1px, calc(${percent(bar.width)} - 1px))` }}
        height={bar.height}
      />
      {bar.label && (
        <text x={percent(bar.x)} y={props.labelY}>
          {bar.label}
        </text>
      )}
    </g>
  );
}
