/** What the compiler says of each kernel, for each architecture. */
import * as React from 'react';
import type { IBuildFacts, IKernelFacts } from '../../model/types';
import { formatCount, formatKibibytes } from '../../ui/format';
import { ScrollTable } from '../../ui/table';
import { useTrans } from '../../ui/trans';
import { nameWithArguments } from './kernelName';

/** Other architectures, beside the one of this device. */
export function BuildFacts({
  builds
}: {
  builds: IBuildFacts[];
}): React.JSX.Element | null {
  const trans = useTrans();
  if (builds.length === 0) {
    return null;
  }
  const archs = [...new Set(builds.map(({ arch }) => arch))];
  const kernels = [...new Set(builds.map(({ name }) => name))];
  const quantities: [string, (one: IBuildFacts) => string][] = [
    [trans.__('Registers'), one => formatCount(one.registers)],
    [trans.__('Shared'), sharedBytes],
    [trans.__('Spills'), one => byteCount(one.spill_bytes)],
    [trans.__('Occupancy'), occupancyWords]
  ];
  const cells = (kernel: string, arch: string) => {
    const build = builds.find(one => one.name === kernel && one.arch === arch);
    return quantities.map(([, of]) => (build ? of(build) : '–'));
  };
  return (
    <ScrollTable
      label={trans.__('Build')}
      caption={trans.__('Build')}
      hint={trans.__('as the compiler says; nothing here was run')}
      kind="kernels"
      columns={[
        { name: trans.__('CUDA kernel') },
        ...quantities.map(([name]) => ({ name, kind: 'number' as const }))
      ]}
      groups={archs.map(arch => ({
        name: arch,
        rows: kernels.map(kernel => ({
          name: <KernelName name={kernel} />,
          cells: cells(kernel, arch)
        }))
      }))}
    />
  );
}

/** A kernel as a person would say it; its whole name where one points. */
export function KernelName({ name }: { name: string }): React.JSX.Element {
  return <code title={name}>{nameWithArguments(name)}</code>;
}

export function occupancyWords(one: IKernelFacts | IBuildFacts): string {
  if (one.occupancy === null) {
    return '–';
  }
  return one.occupancy_words;
}

export function byteCount(count: number | null): string {
  return count === null ? '–' : `${formatCount(count)} B`;
}

function sharedBytes(one: IBuildFacts): string {
  return formatKibibytes(
    one.static_shared_bytes + (one.dynamic_shared_bytes ?? 0)
  );
}
