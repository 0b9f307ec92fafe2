/** How close the device lets any program come, and how close this one came. */
import * as React from 'react';
import { nameOf } from '../../model/speed';
import type { IReport, ITiming } from '../../model/types';
import { formatPercent } from '../../ui/format';
import { useTrans, type Trans } from '../../ui/trans';
import { phaseName, rateOf } from '../parts/labels';
import { Section } from '../parts/section';
import { layoutShares } from './layout';
import { Roofline } from './roofline';
import { Shares } from './shares';

export function Limit({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { timing, device } = report;
  const limit = timing?.limit;
  const chart = timing && layoutShares(timing);
  if (!chart || !limit) {
    return null;
  }
  return (
    <Section id="limit" name={trans.__('Limit')} conclusion={limit.conclusion}>
      <div className="jp-KernelReport-columns jp-mod-even">
        <Roofline timing={timing} />
        <div>
          <Shares device={device.name} chart={chart} />
          {chart.predicted.map(({ one }, n) => (
            <p key={n} className="jp-KernelReport-note">
              {trans.__(
                'Prediction for %1, %2: %3.',
                one.device,
                one.program,
                one.assumptions
              )}
            </p>
          ))}
          <p className="jp-KernelReport-note">
            {[...trainingShares(timing, trans), ...peaks(timing)].join('; ')}
          </p>
          {limit.note && <p className="jp-KernelReport-note">{limit.note}</p>}
        </div>
      </div>
    </Section>
  );
}

/** "device copy, measured here: 4.25 TB/s", "FP16, vendor: 989 TFLOP/s". */
function peaks({ limit }: ITiming): string[] {
  return (limit?.peak_rates ?? []).map(
    peak => `${peak.label || peak.name}: ${rateOf(peak)}`
  );
}

/** "Backward: 99% of the limit, 4.21 TB/s". */
function trainingShares(timing: ITiming, trans: Trans): string[] {
  const us = nameOf(timing, 'candidate');
  return (timing.limit?.shares ?? [])
    .filter(({ program, phase }) => program === us && phase !== 'forward')
    .map(
      ({ phase, share, words }) =>
        `${phaseName(phase, trans)}: ${words || formatPercent(share)}`
    );
}
