/** Where the result of the first wrong case is wrong, in a grid of squares. */
import * as React from 'react';
import { percent } from '../../../../ui/charts/chart';
import { useMark } from '../../../../ui/charts/explore';
import { Plot } from '../../../parts/plot';
import type { IPictureProps } from '..';
import { layout, type IErrorMapLayout } from './layout';

export function ErrorMap({
  picture,
  report
}: IPictureProps): React.JSX.Element | null {
  const map = report.error_map;
  const chart = map && layout(map);
  return chart ? (
    <div className="jp-KernelReport-errorMap">
      <Plot picture={picture} height={chart.height}>
        <Squares chart={chart} rows={map.bins.length} />
      </Plot>
    </div>
  ) : null;
}

function Squares({
  chart,
  rows
}: {
  chart: IErrorMapLayout;
  rows: number;
}): React.JSX.Element {
  // A name that `url(#...)` takes.
  const hatching = `hatching-${React.useId().replace(/\W/g, '')}`;
  return (
    <>
      <pattern
        id={hatching}
        width="4"
        height="4"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect className="jp-KernelChart-wrong" width="1.8" height="4" />
      </pattern>
      {chart.bars.map(({ x, width, y, isWhole }, n) => (
        <rect
          key={n}
          className={isWhole ? 'jp-KernelChart-wrong' : undefined}
          fill={isWhole ? undefined : `url(#${hatching})`}
          x={percent(x)}
          width={percent(width)}
          y={y}
          height={chart.rowHeight}
        />
      ))}
      <rect
        className="jp-KernelChart-frame"
        x="0"
        y="0"
        width="100%"
        height={chart.height}
      />
      {Array.from({ length: rows }, (_, row) => (
        <Row key={row} row={row} height={chart.rowHeight} />
      ))}
    </>
  );
}

/** What takes the pointer, over the whole width. */
function Row({
  row,
  height
}: {
  row: number;
  height: number;
}): React.JSX.Element {
  const { className, onPointerEnter } = useMark(row);
  return (
    <rect
      className={`jp-KernelChart-row ${className}`}
      onPointerEnter={onPointerEnter}
      x="0"
      width="100%"
      y={row * height}
      height={height}
    />
  );
}
