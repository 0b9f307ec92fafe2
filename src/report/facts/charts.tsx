/**
 * The small charts of the facts Faster? and Limit?. Their values stand in the
 * fact's own words, so they take no focus.
 */
import * as React from 'react';
import { formatRate } from '../../ui/format';
import {
  contestants,
  headline,
  limitOf,
  nameOf,
  shareOf
} from '../../model/speed';
import type { ITiming } from '../../model/types';
import { anchorAt, Axis } from '../../ui/charts/axis';
import { Chart, percent } from '../../ui/charts/chart';
import { Bar, Interval, NoiseBand, Roof } from '../../ui/charts/marks';
import { linear, ratios, ratioTick, spaced } from '../../ui/charts/scale';
import { useTrans } from '../../ui/trans';

const LINE = 12;
/** Letters that fit under a chart of 200 px. */
const MAX_LABEL = 26;

/** The ratio with its interval, beside "same" and the noise. */
export function RatioFact({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const speed = headline(timing);
  if (!speed || speed.verdict === null) {
    return null;
  }
  const { low, high, ratio, band, interval } = speed;
  const [ours] = contestants(timing, 'forward', 'cold');
  const reach = Math.max(high, 1 / low, band);
  const room = Math.max(1.005, reach ** 0.4);
  const scale = ratios(
    Math.min(1 / band, low) / room,
    Math.max(band, high) * room
  );
  return (
    <Chart
      height={34}
      title={trans.__('Speed ratio with its 95% confidence interval')}
      desc={[ours?.row.against, interval].filter(part => part).join('; ')}
    >
      <NoiseBand scale={scale} band={band} height={16} />
      <Axis
        scale={spaced(scale, 24, 1)}
        y={LINE + 4}
        label={tick => (tick === 1 ? trans.__('same') : ratioTick(tick))}
      />
      <Interval
        kind="candidate"
        scale={scale}
        low={low}
        middle={ratio}
        high={high}
        y={8}
      />
    </Chart>
  );
}

/** The rate that was reached, up to the roof that sets the limit. */
export function LimitFact({
  timing
}: {
  timing: ITiming;
}): React.JSX.Element | null {
  const trans = useTrans();
  const name = nameOf(timing, 'candidate');
  const found = limitOf(timing.limit, 'forward');
  const share = name !== null ? shareOf(timing.limit, name, 'forward') : null;
  if (!found || !share) {
    return null;
  }
  const { roof } = found;
  const scale = linear(0, Math.max(roof.rate, share.rate) * 1.1, false);
  const at = scale.at(roof.rate);
  const rate = roof.rate_words || formatRate(roof.rate, roof.unit);
  const said = `${roof.full_name || roof.name} ${rate}`;
  return (
    <Chart
      height={34}
      title={trans.__('Position against the limit')}
      desc={`${share.rate_words || formatRate(share.rate, roof.unit)}; ${said}`}
    >
      <rect
        className="jp-KernelChart-band"
        x="0"
        y="4"
        width={percent(at)}
        height="12"
      />
      <Bar kind="candidate" to={scale.at(share.rate)} y={10} />
      <Roof x={at} height={20} vendor={roof.vendor} />
      <text x="0" y="31">
        0
      </text>
      <text x={percent(at)} y="31" textAnchor={at > 40 ? 'end' : anchorAt(at)}>
        {
          // The answer above names the roof; here it may lack the room.
          said.length > MAX_LABEL ? rate : said
        }
      </text>
    </Chart>
  );
}
