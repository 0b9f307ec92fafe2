/**
 * The small charts of the facts Faster? and Limit?. Their values stand in the
 * fact's own words, so they take no focus.
 */
import * as React from 'react';
import { contestants } from '../../model/speed';
import type { ITiming } from '../../model/types';
import { anchorAt, Axis } from '../../ui/charts/axis';
import { Chart, percent } from '../../ui/charts/chart';
import { Bar, Interval, NoiseBand, Peak } from '../../ui/charts/marks';
import { ratioTick } from '../../ui/charts/scale';
import { useTrans } from '../../ui/trans';
import { rateOf } from '../parts/labels';
import { layoutLimit, layoutRatio } from './layout';

const HEIGHT = 34;
/** Letters that fit under a chart of 200 px. */
const MAX_LABEL = 26;

interface IFactChartProps {
  timing: ITiming;
}

/** The ratio with its interval, beside "same" and the noise. */
export function RatioFact({
  timing
}: IFactChartProps): React.JSX.Element | null {
  const trans = useTrans();
  const chart = layoutRatio(timing);
  if (!chart) {
    return null;
  }
  const { speed, scale, axis } = chart;
  const [ours] = contestants(timing, 'forward', 'cold');
  return (
    <Chart
      height={HEIGHT}
      title={trans.__('Speed ratio with its 95% confidence interval')}
      desc={[ours?.row.against, speed.interval].filter(part => part).join('; ')}
    >
      <NoiseBand scale={scale} band={speed.band} height={16} />
      <Axis
        scale={axis}
        y={16}
        label={tick => (tick === 1 ? trans.__('same') : ratioTick(tick))}
      />
      <Interval
        kind="candidate"
        scale={scale}
        low={speed.low}
        middle={speed.ratio}
        high={speed.high}
        y={8}
      />
    </Chart>
  );
}

/** The rate that was reached, up to the peak that sets the limit. */
export function LimitFact({
  timing
}: IFactChartProps): React.JSX.Element | null {
  const trans = useTrans();
  const chart = layoutLimit(timing);
  if (!chart) {
    return null;
  }
  const { peak, share, peakX, rateX } = chart;
  const rate = rateOf(peak);
  const said = `${peak.full_name || peak.name} ${rate}`;
  return (
    <Chart
      height={HEIGHT}
      title={trans.__('Position against the limit')}
      desc={`${share.rate_words}; ${said}`}
    >
      <rect
        className="jp-KernelChart-band"
        x="0"
        y="4"
        width={percent(peakX)}
        height="12"
      />
      <Bar kind="candidate" to={rateX} y={10} />
      <Peak x={peakX} height={20} vendor={peak.vendor} />
      <text x="0" y="31">
        0
      </text>
      <text
        x={percent(peakX)}
        y="31"
        textAnchor={peakX > 40 ? 'end' : anchorAt(peakX)}
      >
        {
          // The answer above names the peak; here it may lack the room.
          said.length > MAX_LABEL ? rate : said
        }
      </text>
    </Chart>
  );
}
