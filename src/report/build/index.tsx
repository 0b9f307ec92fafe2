import * as React from 'react';
import type { IReport } from '../../model/types';
import { Section } from '../parts/section';
import { useTrans } from '../../ui/trans';

/** How the candidate's CUDA source was compiled. */
export function Build({
  report
}: {
  report: IReport;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { build, candidate } = report;
  if (build === null) {
    return null;
  }
  const kernels = candidate.cuda_kernels;
  const facts: [string, string, boolean?][] = [
    [trans.__('Build'), build.words || build.lane],
    [trans.__('Extensions'), build.extensions.join(', '), true],
    [trans.__('CUDA kernels'), kernels.join(', '), true],
    [trans.__('PyTorch operators'), candidate.operators.join(', '), true],
    [
      trans.__('Source'),
      trans._n(
        '%1 line of %2',
        '%1 lines of %2',
        candidate.lines,
        {
          python: 'Python',
          cuda: 'CUDA C++'
        }[candidate.language]
      )
    ]
  ];
  return (
    <Section
      id="build"
      name={trans.__('Build')}
      conclusion={[
        build.words || build.lane,
        kernels.length > 0
          ? trans._n('%1 CUDA kernel', '%1 CUDA kernels', kernels.length)
          : ''
      ]
        .filter(part => part !== '')
        .join(' · ')}
    >
      <dl className="jp-KernelReport-message">
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value, isCode]) => (
            <React.Fragment key={name}>
              <dt>{name}</dt>
              <dd>{isCode ? <code>{value}</code> : value}</dd>
            </React.Fragment>
          ))}
      </dl>
    </Section>
  );
}
