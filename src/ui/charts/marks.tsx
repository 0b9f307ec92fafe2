import * as React from 'react';
import type { Role } from '../../model/speed';
import { percent } from './chart';
import type { IScale } from './scale';

/** Whose a mark is. Its shape says it; its colour repeats it. */
export type MarkKind = 'candidate' | 'reference' | 'arithmetic' | 'prediction';

/** Programs beside the candidate look like the reference, save other arithmetic. */
export function kindOf(role: Role, isOther: boolean): MarkKind {
  return isOther
    ? 'arithmetic'
    : role === 'candidate'
      ? 'candidate'
      : 'reference';
}

interface IMarkProps {
  kind: MarkKind;
  /** In percent. */
  x: number;
  y: number;
}

/** One value: a disc, a square, or a hollow diamond. */
export function Mark({ kind, x, y }: IMarkProps): React.JSX.Element {
  const className = `jp-KernelChart-${kind}`;
  return (
    <svg x={percent(x)} y={y} overflow="visible">
      {kind === 'candidate' && <circle className={className} r="4.5" />}
      {kind === 'reference' && (
        <rect className={className} x="-4" y="-4" width="8" height="8" />
      )}
      {(kind === 'arithmetic' || kind === 'prediction') && (
        <path className={className} d="M0 -6.5L6.5 0L0 6.5L-6.5 0Z" />
      )}
    </svg>
  );
}

interface IBarProps {
  kind: MarkKind;
  /** In percent, from 0. */
  to: number;
  /** Of its middle. */
  y: number;
}

export function Bar({ kind, to, y }: IBarProps): React.JSX.Element {
  return (
    <rect
      className={`jp-KernelChart-${kind}`}
      x="0"
      y={y - 4}
      width={percent(to)}
      height="8"
    />
  );
}

interface IIntervalProps {
  kind: MarkKind;
  scale: IScale;
  low: number;
  middle: number;
  high: number;
  y: number;
}

/** A value with the interval that it lies in. */
export function Interval(props: IIntervalProps): React.JSX.Element {
  const { kind, scale, y } = props;
  const className = `jp-KernelChart-${kind} jp-mod-line`;
  const [low, high] = [scale.at(props.low), scale.at(props.high)].map(percent);
  return (
    <>
      <line className={className} x1={low} x2={high} y1={y} y2={y} />
      <line className={className} x1={low} x2={low} y1={y - 5} y2={y + 5} />
      <line className={className} x1={high} x2={high} y1={y - 5} y2={y + 5} />
      <Mark kind={kind} x={scale.at(props.middle)} y={y} />
    </>
  );
}

interface IBandProps {
  scale: IScale;
  band: number;
  height: number;
}

/** Where the reference lies against itself, and the line of no difference. */
export function NoiseBand(props: IBandProps): React.JSX.Element {
  const { scale, band, height } = props;
  const from = scale.at(1 / band);
  return (
    <>
      <rect
        className="jp-KernelChart-band"
        x={percent(from)}
        y="0"
        width={percent(scale.at(band) - from)}
        height={height}
      />
      <Peak x={scale.at(1)} height={height} />
    </>
  );
}

interface IPeakProps {
  x: number;
  height: number;
  /** From a data sheet, not from this device. */
  vendor?: boolean;
}

/** What cannot be passed, as an upright line. */
export function Peak({ x, height, vendor }: IPeakProps): React.JSX.Element {
  return (
    <line
      className={`jp-KernelChart-peak${vendor ? ' jp-mod-vendor' : ''}`}
      x1={percent(x)}
      x2={percent(x)}
      y1="0"
      y2={height}
    />
  );
}
