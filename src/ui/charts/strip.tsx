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
  desc: string;
  /** Said in place of dots where the median is off the axis. */
  off: string;
}

/** All samples as dots; tall line: the median, short bar: the IQR. */
export function Strip(props: IStripProps): React.JSX.Element {
  const { row, kind, scale } = props;
  const { low, high } = scale;
  const className = `jp-KernelChart-${kind}`;
  const line = `${className} jp-mod-line`;
  if (row.median_s < low || row.median_s > high) {
    const right = row.median_s > high;
    return (
      <Chart height={HEIGHT} title={props.title} desc={props.desc}>
        <text
          x={right ? '100%' : '0'}
          y="19"
          textAnchor={right ? 'end' : 'start'}
        >
          {right ? `${props.off} →` : `← ${props.off}`}
        </text>
      </Chart>
    );
  }
  const [q1, q3] = [scale.at(row.q1_s), scale.at(row.q3_s)];
  const median = percent(scale.at(row.median_s));
  return (
    <Chart height={HEIGHT} title={props.title} desc={props.desc}>
      <Grid scale={scale} height={HEIGHT} />
      {thinned(row.samples_s, props.dots).map((sample, n) => (
        <circle
          key={n}
          className={`${className} jp-mod-sample`}
          cx={percent(scale.at(sample))}
          // Spread over the height in a fixed order, so that equal ones show.
          cy={4 + ((n * 7) % 12)}
          r="1.7"
        />
      ))}
      <rect
        className={className}
        x={percent(q1)}
        y="21"
        width={percent(Math.max(0.2, q3 - q1))}
        height="4"
      />
      <line className={line} x1={median} x2={median} y1="1" y2="28" />
    </Chart>
  );
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
