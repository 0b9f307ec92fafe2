import * as React from 'react';
import { formatCount, formatSize } from '../../ui/format';
import type { IDeviceCode, IReport } from '../../model/types';
import { Log } from '../parts/log';
import { LineBuilds } from './lineBuilds';
import { BuildFacts } from '../parts/buildFacts';
import { Section } from '../parts/section';
import { upperFirst } from '../../ui/words';
import { useTrans, type Trans } from '../../ui/trans';

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
  return (
    <Section
      id="device-code"
      name={trans.__('Build for %1', code.place || code.builds[0]!.arch)}
      conclusion={code.conclusion}
    >
      <div className="jp-KernelReport-stack">
        <dl className="jp-KernelReport-message">
          {[...buildWords(code, trans), ...leftOutWords(code, trans)].map(
            ([name, value]) => (
              <React.Fragment key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </React.Fragment>
            )
          )}
        </dl>
        <BuildFacts builds={code.kernels} />
        <LineBuilds lines={code.lines} />
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

/** An architecture, and how it was built. */
function buildWords(code: IDeviceCode, trans: Trans): [string, string][] {
  return code.builds.map(({ arch, gpu, state, why, cubin_bytes }) => [
    gpu ? `${gpu} (${arch})` : arch,
    [
      upperFirst(state),
      why,
      cubin_bytes > 0 ? trans.__('cubin %1', formatSize(cubin_bytes)) : '',
      code.compiler
    ]
      .filter(part => part !== '')
      .join(' · ')
  ]);
}

/** What was not compiled. */
function leftOutWords(code: IDeviceCode, trans: Trans): [string, string][] {
  const notes: [string, string][] = [
    [trans.__('Not instantiated'), code.left_out.join(', ')],
    [
      trans.__('Further template arguments'),
      code.more > 0 ? formatCount(code.more) : ''
    ]
  ];
  return notes.filter(([, value]) => value !== '');
}
