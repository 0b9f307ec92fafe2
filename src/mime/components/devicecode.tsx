import * as React from 'react';
import { formatCount, formatSize } from '../../report/format';
import type { IReport } from '../../report/types';
import { Log } from './log';
import { BuildFacts } from './resources';
import { Section } from './section';
import { occupancyWords } from './speedwords';
import { useView } from './view';

/** What an architecture is best known as. */
const GPUS: Record<string, string> = { sm_80: 'A100', sm_90: 'H100' };

/** What a compiler for GPUs that are not here says of the kernels. */
export function DeviceCode({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const { trans } = useView();
  const code = report.device_code;
  if (!code || code.builds.length === 0) {
    return null;
  }
  const states = {
    compiled: trans.__('compiled, not run'),
    refused: trans.__('refused'),
    unsupported: trans.__('not supported'),
    'not looked at': trans.__('not looked at')
  };
  const [shown] = [
    ...code.builds.filter(({ state }) => state === 'compiled'),
    ...code.builds
  ];
  const notes = [
    code.left_out.length > 0
      ? trans.__(
          'Not compiled, because the text does not tell their template arguments: %1.',
          code.left_out.join(', ')
        )
      : '',
    code.more > 0
      ? trans._n(
          '%1 further set of template arguments was not compiled.',
          '%1 further sets of template arguments were not compiled.',
          code.more
        )
      : ''
  ].filter(note => note !== '');
  return (
    <Section
      id="device-code"
      name={trans.__('Build for the %1', GPUS[shown!.arch] ?? shown!.arch)}
      conclusion={conclusion()}
    >
      <div className="jp-KernelReport-stack">
        <dl className="jp-KernelReport-message">
          {code.builds.map(({ arch, state, why, cubin_bytes }) => (
            <React.Fragment key={arch}>
              <dt>{GPUS[arch] ? `${GPUS[arch]} (${arch})` : arch}</dt>
              <dd>
                {[
                  states[state],
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
        {notes.map(note => (
          <p key={note} className="jp-KernelReport-note">
            {note}
          </p>
        ))}
      </div>
    </Section>
  );

  function conclusion(): string {
    const kernels = code!.kernels.filter(({ arch }) => arch === shown!.arch);
    if (kernels.length === 0) {
      return states[shown!.state];
    }
    const registers = Math.max(...kernels.map(one => one.registers));
    const spilled = Math.max(...kernels.map(one => one.spill_bytes));
    const [least] = kernels
      .filter(({ occupancy }) => occupancy !== null)
      .sort((a, b) => a.occupancy! - b.occupancy!);
    return [
      states[shown!.state],
      kernels.length === 1
        ? trans._n('%1 register', '%1 registers', registers)
        : trans.__('at most %1 registers', formatCount(registers)),
      spilled === 0
        ? trans.__('no spills')
        : trans.__('%1 B spilled a thread', formatCount(spilled)),
      least
        ? trans.__(
            'occupancy %1',
            occupancyWords(least.occupancy, least.occupancy_limit, trans)
          )
        : ''
    ]
      .filter(part => part !== '')
      .join(' · ');
  }
}
