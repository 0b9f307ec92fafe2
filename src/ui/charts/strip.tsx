/** All samples of a program as dots; tall line: the median, short bar: the IQR. */
import * as React from 'react';
import type { ITimed } from '../../model/types';
import { Grid } from './axis';
import { Chart, percent } from './chart';
import type { MarkKind } from './marks';
import type { IScale } from './scale';

const HEIGHT = 30;

interface IStripProps {
  row: ITimed;
  kind: MarkKind;
  scale: IScale;
  /** At most so many dots; more samples become quantiles. */
  dots: number;
  title: string;
  /** Said in place of dots where the median is off the axis. */
  off: string;
}

export function Strip(props: IStripProps): React.JSX.Element {
  const { title, off, scale } = props;
  const strip = layoutStrip(props.row, scale, props.dots);
  const className = `jp-KernelChart-${props.kind}`;
  return (
    <Chart height={HEIGHT} title={title}>
      {strip.kind === 'off' ? (
        <text
          x={strip.side === 'right' ? '100%' : '0'}
          y="19"
          textAnchor={strip.side === 'right' ? 'end' : 'start'}
        >
          {strip.side === 'right' ? `${off} →` : `← ${off}`}
        </text>
      ) : (
        <>
          <Grid scale={scale} height={HEIGHT} />
          {strip.dots.map(({ x, y }, n) => (
            <circle
              key={n}
              className={`${className} jp-mod-sample`}
              cx={percent(x)}
              cy={y}
              r="1.7"
            />
          ))}
          <rect
            className={className}
            x={percent(strip.iqr.x)}
            y="21"
            width={percent(strip.iqr.width)}
            height="4"
          />
          <line
            className={`${className} jp-mod-line`}
            x1={percent(strip.median)}
            x2={percent(strip.median)}
            y1="1"
            y2="28"
          />
        </>
      )}
    </Chart>
  );
}

/** `x` and widths in percent, `y` in px. */
export type StripLayout =
  /** The median lies beyond an end of the axis. */
  | { readonly kind: 'off'; readonly side: 'left' | 'right' }
  | {
      readonly kind: 'strip';
      readonly dots: readonly { readonly x: number; readonly y: number }[];
      readonly iqr: { readonly x: number; readonly width: number };
      readonly median: number;
    };

export function layoutStrip(
  row: ITimed,
  scale: IScale,
  count: number
): StripLayout {
  if (row.median_s < scale.low || row.median_s > scale.high) {
    return { kind: 'off', side: row.median_s > scale.high ? 'right' : 'left' };
  }
  const [q1, q3] = [scale.at(row.q1_s), scale.at(row.q3_s)];
  return {
    kind: 'strip',
    dots: thinned(row.samples_s, count).map((sample, n) => ({
      x: scale.at(sample),
      // Spread over the height in a fixed order, so that equal ones show.
      y: 4 + ((n * 7) % 12)
    })),
    iqr: { x: q1, width: Math.max(0.2, q3 - q1) },
    median: scale.at(row.median_s)
  };
}

/** The samples, or, of more than `count`, as many quantiles. */
export function thinned(samples: readonly number[], count: number): number[] {
  if (samples.length <= count) {
    return [...samples];
  }
  const sorted = [...samples].sort((a, b) => a - b);
  return Array.from(
    { length: count },
    (_, n) => sorted[Math.floor(((n + 0.5) * sorted.length) / count)] ?? 0
  );
}
