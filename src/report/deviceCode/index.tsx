import * as React from 'react';
import { formatCount, formatSize } from '../../ui/format';
import type { IReport } from '../../model/types';
import { Log } from '../parts/log';
import { BuildFacts } from '../profile/resources';
import { Section } from '../parts/section';
import { upperFirst } from '../../ui/words';
import { useTrans } from '../../ui/trans';

/** What a compiler for GPUs that are not here says of the kernels. */
export function DeviceCode({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const code = report.device_code;
  if (!code || code.builds.length === 0) {
    return null;
  }
  const notes = [
    [trans.__('Not instantiated'), code.left_out.join(', ')],
    [
      trans.__('Further template arguments'),
      code.more > 0 ? formatCount(code.more) : ''
    ]
  ].filter(([, value]) => value !== '');
  return (
    <Section
      id="device-code"
      name={trans.__('Build for %1', code.place || code.builds[0]!.arch)}
      conclusion={code.conclusion}
    >
      <div className="jp-KernelReport-stack">
        <dl className="jp-KernelReport-message">
          {code.builds.map(({ arch, gpu, state, why, cubin_bytes }) => (
            <React.Fragment key={arch}>
              <dt>{gpu ? `${gpu} (${arch})` : arch}</dt>
              <dd>
                {[
                  upperFirst(state),
                  why,
                  cubin_bytes > 0
                    ? trans.__('cubin %1', formatSize(cubin_bytes))
                    : '',
                  code.compiler
                ]
                  .filter(part => part !== '')
                  .join(' · ')}
              </dd>
            </React.Fragment>
          ))}
          {notes.map(([name, value]) => (
            <React.Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </React.Fragment>
          ))}
        </dl>
        <BuildFacts builds={code.kernels} />
        {code.listings.map(({ arch, kind, text, lines }, n) => (
          <Log
            key={n}
            name={trans.__('%1 for %2', kind, arch)}
            text={text}
            lines={lines}
          />
        ))}
      </div>
    </Section>
  );
}
