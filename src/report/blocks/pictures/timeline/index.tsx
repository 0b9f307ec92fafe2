/**
 * One bar a launch, all programs on one axis; gaps stay empty. A person looks
 * nearer by buttons or by W, A, S and D, as in Perfetto.
 */
import * as React from 'react';
import { PHASES, roleOf } from '../../../../model/speed';
import type { ILaunch } from '../../../../model/types';
import { Chart, percent } from '../../../../ui/charts/chart';
import { Explore, useMark } from '../../../../ui/charts/explore';
import { kindOf, type MarkKind } from '../../../../ui/charts/marks';
import { spaced } from '../../../../ui/charts/scale';
import {
  formatCount,
  formatDuration,
  formatDurations,
  formatNumber,
  timeUnit
} from '../../../../ui/format';
import { Table, type IColumn, type IRow } from '../../../../ui/table';
import { useTrans, type Trans } from '../../../../ui/trans';
import { upperFirst } from '../../../../ui/words';
import type { IPictureProps } from '..';
import {
  isHost,
  layout,
  type IBar,
  type ITimelineLayout,
  type ITimelineRow
} from './layout';
import { saveTrace } from './trace';
import { useWindow, type IWindow } from './window';

/** Bars that the description of a row names. */
const MAX_DESCRIBED = 20;

export function Timeline({
  picture,
  report
}: IPictureProps): React.JSX.Element | null {
  const trans = useTrans();
  const { profile, timing } = report;
  const phase = PHASES.find(one => one === picture.phase);
  const whole = profile && phase ? layout(profile, timing, phase) : null;
  const view = useWindow(whole?.endS ?? 0);
  if (!whole || !profile || !phase) {
    return null;
  }
  const chart = layout(profile, timing, phase, view) ?? whole;
  const { rows, scale } = chart;
  const [, second] = timeUnit(view.to);
  const totals = formatDurations(rows.map(({ totalS }) => totalS));
  const launches = rows.flatMap(row => row.launches);
  // A cell of a notebook is called in no phase, and is nobody's candidate.
  const phased = report.verdict?.kind !== 'profiled';
  return (
    <div onKeyDown={view.onKeyDown}>
      <Explore
        label={picture.title}
        values={launches.map(launch => launchSaid(launch, trans))}
      >
        <Table
          caption={picture.title}
          hint={picture.hint}
          kind="strips"
          columns={columns(chart, view, phased, trans)}
          groups={[
            {
              name: '',
              rows: rows.map((row, n) => {
                const role = roleOf(timing, row.program);
                return programRow(
                  row,
                  chart,
                  kindOf(role, false),
                  role === 'candidate' || !phased,
                  totals[n] ?? '',
                  trans
                );
              })
            }
          ]}
          foot={{
            title: trans.__(
              'Time axis from %1 to %2',
              formatDuration(view.from),
              formatDuration(view.to)
            ),
            scale: spaced(scale, 8),
            label: tick => formatNumber(tick / second, 6)
          }}
        />
      </Explore>
      <Looking view={view} save={() => saveTrace(profile.timeline)} />
    </div>
  );
}

interface ILookingProps {
  view: IWindow;
  save: () => void;
}

/** What leads nearer, along and back, and hands the launches to a viewer of traces. */
function Looking({ view, save }: ILookingProps): React.JSX.Element {
  const trans = useTrans();
  const buttons: [string, string, () => void, boolean][] = [
    ['+', trans.__('Nearer (W)'), () => view.zoom(0.5), true],
    ['−', trans.__('Further (S)'), () => view.zoom(2), view.isPart],
    ['←', trans.__('Earlier (A)'), () => view.move(-0.25), view.isPart],
    ['→', trans.__('Later (D)'), () => view.move(0.25), view.isPart]
  ];
  return (
    <div className="jp-KernelReport-do">
      {buttons.map(([sign, name, act, isUseful]) => (
        <button
          key={sign}
          type="button"
          className="jp-KernelReport-button"
          aria-label={name}
          aria-disabled={!isUseful}
          title={name}
          onClick={() => isUseful && act()}
        >
          {sign}
        </button>
      ))}
      <button
        type="button"
        className="jp-KernelReport-button"
        title={trans.__(
          'A file of Chrome’s trace format: ui.perfetto.dev and chrome://tracing open it'
        )}
        onClick={save}
      >
        {trans.__('Save trace')}
      </button>
    </div>
  );
}

function columns(
  { isOfOperators }: ITimelineLayout,
  { to }: IWindow,
  phased: boolean,
  trans: Trans
): IColumn[] {
  const [unit] = timeUnit(to);
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
