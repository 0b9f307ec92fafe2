/**
 * The marks of a row on the axis that the rows of its table share.
 *
 * In: an axis and marks, as the report holds them. Out: the picture; `x` in
 * percent, `y` in px. Their values stand in the cells beside it.
 */
import * as React from 'react';
import type { IAxis, IMark, ITiming } from '../../model/types';
import { Axis } from '../../ui/charts/axis';
import { Chart, percent } from '../../ui/charts/chart';
import { Bar, Interval, Mark, Peak } from '../../ui/charts/marks';
import {
  linear,
  logarithmic,
  ratios,
  ratioTick,
  spaced,
  type IScale
} from '../../ui/charts/scale';
import { Strip } from '../../ui/charts/strip';
import { formatDuration, formatNumber } from '../../ui/format';
import { useTrans } from '../../ui/trans';

const HEIGHT = 26;
/** Dots of all strips together. */
const MAX_DOTS = 900;

export interface IDrawnAxis {
  readonly scale: IScale;
  readonly label: (tick: number) => string;
}

export function axisOf({ kind, low, high, unit }: IAxis): IDrawnAxis {
  const label = labelOf(unit, low, high);
  switch (kind) {
    case 'linear': {
      const scale = linear(low, high);
      return { scale: spaced(scale, unit === 's' ? 20 : 10), label };
    }
    case 'ratios':
      return { scale: spaced(ratios(low, high), 20, 1), label };
    case 'logarithmic':
      return { scale: spaced(logarithmic(low, high), 14), label };
  }
}

function labelOf(unit: IAxis['unit'], low: number, high: number) {
  // As many digits as tell the ticks of an axis apart.
  const apart = Math.ceil(Math.log10(high / (high - low)));
  const digits = Number.isFinite(apart) ? 1 + Math.max(2, apart) : 3;
  return (tick: number): string => {
    switch (unit) {
      case 's':
        return formatDuration(tick, Math.min(12, digits));
      case 'x':
        return tick === 1 ? '1x' : ratioTick(tick);
      default:
        return formatNumber(tick);
    }
  };
}

interface IMarkChartProps {
  axis: IAxis;
  marks: readonly IMark[];
  title: string;
  timing: ITiming | null;
  /** Whether the axis stands below this chart; else below its table. */
  hasAxis?: boolean;
}

export function MarkChart(props: IMarkChartProps): React.JSX.Element {
  const { axis, marks, title, timing } = props;
  const { scale, label } = axisOf(axis);
  const samples = marks.find(({ kind }) => kind === 'samples');
  if (samples) {
    return <Samples mark={samples} {...{ scale, title, timing }} />;
  }
  const height = props.hasAxis ? 16 : HEIGHT;
  return (
    <Chart height={props.hasAxis ? 34 : HEIGHT} title={title}>
      {props.hasAxis && <Axis scale={scale} y={height} label={label} />}
      {marks.map((mark, n) => (
        <OneMark key={n} mark={mark} scale={scale} height={height} />
      ))}
    </Chart>
  );
}

interface IOneMarkProps {
  mark: IMark;
  scale: IScale;
  height: number;
}

function OneMark({ mark, scale, height }: IOneMarkProps): React.JSX.Element {
  const { at, low, high } = mark;
  const kind = mark.of === 'vendor' ? 'reference' : mark.of;
  const y = height / 2;
  switch (mark.kind) {
    case 'bar':
      return <Bar kind={kind} to={scale.at(at)} y={y} />;
    case 'interval':
      return <Interval {...{ kind, scale, low, high, y }} middle={at} />;
    case 'limit':
      return (
        <Peak x={scale.at(at)} height={height} vendor={mark.of === 'vendor'} />
      );
    case 'band':
      return (
        <rect
          className="jp-KernelChart-band"
          x={percent(scale.at(low))}
          y="0"
          width={percent(Math.max(0, scale.at(high) - scale.at(low)))}
          height={height}
        />
      );
    default:
      return <Mark kind={kind} x={scale.at(at)} y={y} />;
  }
}

interface ISamplesProps {
  mark: IMark;
  scale: IScale;
  title: string;
  timing: ITiming | null;
}

/** All samples of a program, of its forward calls with cold caches. */
function Samples(props: ISamplesProps): React.JSX.Element | null {
  const trans = useTrans();
  const { mark, scale, title, timing } = props;
  const shown = (timing?.rows ?? []).filter(
    ({ phase, cache_state }) => phase === 'forward' && cache_state === 'cold'
  );
  const row = shown.find(({ program }) => program === mark.program);
  return row ? (
    <Strip
      row={row}
      kind={mark.of === 'vendor' ? 'reference' : mark.of}
      scale={scale}
      dots={Math.floor(MAX_DOTS / shown.length)}
      title={title}
      off={trans.__('%1, off the axis', row.time)}
    />
  ) : null;
}
