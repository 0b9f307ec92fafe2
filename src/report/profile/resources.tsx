/** Every kernel with its launch and what it needs of a multiprocessor. */
import * as React from 'react';
import { roleOf } from '../../model/speed';
import type {
  ICounter,
  IKernelFacts,
  IProfile,
  ITiming
} from '../../model/types';
import {
  formatCount,
  formatDuration,
  formatKibibytes,
  formatNumber,
  formatRate,
  formatSize
} from '../../ui/format';
import { ScrollTable, type IRow } from '../../ui/table';
import { useTrans, type Trans } from '../../ui/trans';
import { upperFirst } from '../../ui/words';
import { byteCount, KernelName, occupancyWords } from '../parts/buildFacts';
import { isOfOperators } from './timeline/layout';

interface IResourcesProps {
  profile: IProfile;
  timing: ITiming | null;
  /** Whether the program was called in phases; a cell of a notebook was not. */
  phased: boolean;
}

export function Resources(props: IResourcesProps): React.JSX.Element | null {
  const trans = useTrans();
  const { profile, timing, phased } = props;
  const { kernels } = profile;
  if (kernels.length === 0) {
    return null;
  }
  if (isOfOperators(profile)) {
    return <Operators operators={kernels} />;
  }
  const groups = [
    ...new Map(
      kernels.map(one => [`${one.program}\n${one.phase}`, one])
    ).values()
  ];
  const number = (name: string) => ({ name, kind: 'number' as const });
  return (
    <ScrollTable
      label={trans.__('Launches and resources')}
      caption={trans.__('Launches and resources')}
      hint={trans.__('times measured; bytes and FLOP counted from the shapes')}
      kind="kernels"
      columns={[
        { name: trans.__('CUDA kernel') },
        number(trans.__('Launches')),
        number(trans.__('Time')),
        number(trans.__('Registers')),
        number(trans.__('Shared')),
        number(trans.__('Spills')),
        number(trans.__('Occupancy')),
        number(trans.__('Rate'))
      ]}
      groups={groups.map(({ program, phase }) => {
        const isOurs = roleOf(timing, program) === 'candidate';
        const name = isOurs || !phased ? upperFirst(program) : program;
        return {
          name: phased ? trans.__('%1, %2', name, phase) : name,
          rows: kernels
            .filter(one => one.program === program && one.phase === phase)
            .map(one => kernelRow(one, trans))
        };
      })}
    />
  );
}

/** What the host did where there is no device: neither launches nor resources. */
function Operators({
  operators
}: {
  operators: IKernelFacts[];
}): React.JSX.Element {
  const trans = useTrans();
  const ordered = [...operators].sort((a, b) => b.seconds - a.seconds);
  return (
    <ScrollTable
      label={trans.__('Operators')}
      caption={trans.__('Operators')}
      hint={trans.__('the longest first')}
      kind="narrow"
      columns={[
        { name: trans.__('PyTorch operator') },
        { name: trans.__('Calls'), kind: 'number' },
        { name: trans.__('Time'), kind: 'number' }
      ]}
      groups={[
        {
          name: '',
          rows: ordered.map(one => ({
            name: <code>{one.name}</code>,
            cells: [formatCount(one.calls), timeWords(one)]
          }))
        }
      ]}
    />
  );
}

function kernelRow(one: IKernelFacts, trans: Trans): IRow {
  return {
    name: <KernelName name={one.name} />,
    cells: [
      formatCount(one.calls),
      timeWords(one),
      one.registers ?? '–',
      shared(one),
      byteCount(one.spill_bytes),
      occupancyWords(one),
      rate(one)
    ],
    details: [launched(one, trans), counted(one, trans)].filter(
      line => line !== ''
    )
  };
}

/** What no column has room for: the launch, and what bounds it. */
function launched(one: IKernelFacts, trans: Trans): string {
  const size = launch(one);
  return [
    size ? trans.__('grid x block %1', size) : '',
    one.waves !== null ? trans.__('%1 waves', waveCount(one.waves)) : ''
  ]
    .filter(part => part !== '')
    .join('; ');
}

function counted({ counters }: IKernelFacts, trans: Trans): string {
  return counters.length > 0
    ? trans.__(
        'counted by the device: %1',
        counters.map(counterWords).join('; ')
      )
    : '';
}

function timeWords({ time, seconds }: IKernelFacts): string {
  return time;
}

/** "DRAM bytes 12.9 GB". */
function counterWords({ name, value, unit }: ICounter): string {
  switch (unit) {
    case 's':
      return `${name} ${formatDuration(value)}`;
    case 'B':
      return `${name} ${formatSize(value)}`;
    default:
      return `${name} ${formatNumber(value)} ${unit}`.trim();
  }
}

function launch({ grid, block }: IKernelFacts): string {
  const sizes = (some: number[]) =>
    some
      .filter((size, n) => n === 0 || size > 1)
      .map(formatCount)
      .join(', ');
  return grid.length > 0 && block.length > 0
    ? `${sizes(grid)} x ${sizes(block)}`
    : '';
}

function shared(one: IKernelFacts): string {
  const { static_shared_bytes: fixed, dynamic_shared_bytes: dynamic } = one;
  return fixed === null && dynamic === null
    ? '–'
    : formatKibibytes((fixed ?? 0) + (dynamic ?? 0));
}

function rate({ bytes_per_s, flops_per_s }: IKernelFacts): string {
  const parts = [
    bytes_per_s ? formatRate(bytes_per_s, 'B/s') : '',
    flops_per_s ? formatRate(flops_per_s, 'FLOP/s') : ''
  ].filter(part => part !== '');
  return parts.join(', ') || '–';
}

/** Hundredths of a wave, and no finer: "0.07", "<0.01". */
function waveCount(waves: number): string {
  return waves > 0 && waves < 0.01
    ? '<0.01'
    : formatNumber(Number(waves.toFixed(2)));
}
