import * as React from 'react';
import {
  formatCount,
  formatDuration,
  formatKibibytes,
  formatNumber,
  formatPercent,
  formatRate,
  formatSize
} from '../../ui/format';
import { roleOf } from '../../model/speed';
import type {
  IBuildFacts,
  ICounter,
  IKernelFacts,
  IProfile,
  ITiming
} from '../../model/types';
import { nameWithArguments } from './kernelName';
import { isOfOperators } from './timeline';
import { upperFirst } from '../../ui/words';
import { useTrans } from '../../ui/trans';

const COLUMNS = 8;

interface IResourcesProps {
  profile: IProfile;
  timing: ITiming | null;
  /** Whether the program was called in phases; a cell of a notebook was not. */
  phased: boolean;
}

/** Every kernel with its launch and what it needs of a multiprocessor. */
export function Resources(props: IResourcesProps): React.JSX.Element | null {
  const trans = useTrans();
  const { kernels } = props.profile;
  if (kernels.length === 0) {
    return null;
  }
  if (isOfOperators(props.profile)) {
    return <Operators operators={kernels} />;
  }
  const groups = [
    ...new Map(
      kernels.map(one => [`${one.program}\n${one.phase}`, one])
    ).values()
  ];
  const name = trans.__('Launches and resources');
  return (
    <div
      className="jp-KernelReport-scroll"
      role="group"
      aria-label={name}
      tabIndex={0}
    >
      <table className="jp-KernelReport-table jp-mod-kernels">
        <caption>
          {name}{' '}
          <small>
            {trans.__('times measured; bytes and FLOP counted from the shapes')}
          </small>
        </caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('CUDA kernel')}</th>
            {[
              trans.__('Launches'),
              trans.__('Time'),
              trans.__('Registers'),
              trans.__('Shared'),
              trans.__('Spills'),
              trans.__('Occupancy'),
              trans.__('Rate')
            ].map(head => (
              <th key={head} scope="col" className="jp-mod-number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map(({ program, phase }) => (
          <Group
            key={`${program}\n${phase}`}
            name={groupName(program, phase)}
            kernels={kernels.filter(
              one => one.program === program && one.phase === phase
            )}
          />
        ))}
      </table>
    </div>
  );

  function groupName(program: string, phase: string): string {
    if (!props.phased) {
      return upperFirst(program);
    }
    return trans.__(
      '%1, %2',
      roleOf(props.timing, program) === 'candidate'
        ? upperFirst(program)
        : program,
      phase
    );
  }
}

/** What the host did where there is no device: neither launches nor resources. */
function Operators({
  operators
}: {
  operators: IKernelFacts[];
}): React.JSX.Element {
  const trans = useTrans();
  const name = trans.__('Operators');
  const ordered = [...operators].sort((a, b) => b.seconds - a.seconds);
  return (
    <div
      className="jp-KernelReport-scroll"
      role="group"
      aria-label={name}
      tabIndex={0}
    >
      <table className="jp-KernelReport-table jp-mod-narrow">
        <caption>
          {name} <small>{trans.__('the longest first')}</small>
        </caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('PyTorch operator')}</th>
            <th scope="col" className="jp-mod-number">
              {trans.__('Calls')}
            </th>
            <th scope="col" className="jp-mod-number">
              {trans.__('Time')}
            </th>
          </tr>
        </thead>
        <tbody>
          {ordered.map((one, n) => (
            <tr key={n}>
              <th scope="row">
                <code>{one.name}</code>
              </th>
              <td className="jp-mod-number">{formatCount(one.calls)}</td>
              <td className="jp-mod-number">
                {one.time || formatDuration(one.seconds)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface IGroupProps {
  name: string;
  kernels: IKernelFacts[];
}

function Group({ name, kernels }: IGroupProps): React.JSX.Element {
  const trans = useTrans();
  return (
    <tbody>
      <tr className="jp-mod-group">
        <th colSpan={COLUMNS} scope="rowgroup">
          {name}
        </th>
      </tr>
      {kernels.map((one, n) => (
        <React.Fragment key={n}>
          <tr>
            <th scope="row">
              <code title={one.name}>{nameWithArguments(one.name)}</code>
            </th>
            <td className="jp-mod-number">{formatCount(one.calls)}</td>
            <td className="jp-mod-number">
              {one.time || formatDuration(one.seconds)}
            </td>
            <td className="jp-mod-number">{one.registers ?? '–'}</td>
            <td className="jp-mod-number">{shared(one)}</td>
            <td className="jp-mod-number">{bytes(one.spill_bytes)}</td>
            <td className="jp-mod-number">{occupancy(one)}</td>
            <td className="jp-mod-number">{rate(one)}</td>
          </tr>
          {[launched(one), counted(one)]
            .filter(line => line !== '')
            .map(line => (
              <tr key={line} className="jp-mod-detail">
                <td colSpan={COLUMNS}>{line}</td>
              </tr>
            ))}
        </React.Fragment>
      ))}
    </tbody>
  );

  /** What no column has room for: the launch, and what bounds it. */
  function launched(one: IKernelFacts): string {
    const size = launch(one);
    return [
      size ? trans.__('grid x block %1', size) : '',
      one.waves !== null ? trans.__('%1 waves', wavesSaid(one.waves)) : ''
    ]
      .filter(part => part !== '')
      .join('; ');
  }

  function counted({ counters }: IKernelFacts): string {
    return counters.length > 0
      ? trans.__(
          'counted by the device: %1',
          counters.map(counterWords).join('; ')
        )
      : '';
  }
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

function occupancy(one: IKernelFacts | IBuildFacts): string {
  if (one.occupancy === null) {
    return '–';
  }
  return one.occupancy_words || formatPercent(one.occupancy);
}

function bytes(count: number | null): string {
  return count === null ? '–' : `${formatCount(count)} B`;
}

function rate({ bytes_per_s, flops_per_s }: IKernelFacts): string {
  const parts = [
    bytes_per_s ? formatRate(bytes_per_s, 'B/s') : '',
    flops_per_s ? formatRate(flops_per_s, 'FLOP/s') : ''
  ].filter(part => part !== '');
  return parts.join(', ') || '–';
}

/** What the compiler says for each architecture, those that are not here beside the one that is. */
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
  const name = trans.__('Build');
  const quantities: [string, (one: IBuildFacts) => string][] = [
    [trans.__('Registers'), one => formatCount(one.registers)],
    [
      trans.__('Shared'),
      one =>
        formatKibibytes(
          one.static_shared_bytes + (one.dynamic_shared_bytes ?? 0)
        )
    ],
    [trans.__('Spills'), one => bytes(one.spill_bytes)],
    [trans.__('Occupancy'), occupancy]
  ];
  return (
    <div
      className="jp-KernelReport-scroll"
      role="group"
      aria-label={name}
      tabIndex={0}
    >
      <table className="jp-KernelReport-table jp-mod-kernels">
        <caption>
          {name}{' '}
          <small>
            {trans.__('as the compiler says; nothing here was run')}
          </small>
        </caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('CUDA kernel')}</th>
            {quantities.map(([quantity]) => (
              <th key={quantity} scope="col" className="jp-mod-number">
                {quantity}
              </th>
            ))}
          </tr>
        </thead>
        {archs.map(arch => (
          <tbody key={arch}>
            <tr className="jp-mod-group">
              <th colSpan={1 + quantities.length} scope="rowgroup">
                {arch}
              </th>
            </tr>
            {kernels.map(kernel => (
              <BuildRow
                key={kernel}
                kernel={kernel}
                cells={quantities.map(([, of]) => {
                  const one = builds.find(
                    build => build.name === kernel && build.arch === arch
                  );
                  return one ? of(one) : '–';
                })}
              />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function BuildRow({
  kernel,
  cells
}: {
  kernel: string;
  cells: string[];
}): React.JSX.Element {
  return (
    <tr>
      <th scope="row">
        <code title={kernel}>{nameWithArguments(kernel)}</code>
      </th>
      {cells.map((cell, n) => (
        <td key={n} className="jp-mod-number">
          {cell}
        </td>
      ))}
    </tr>
  );
}

/** Hundredths of a wave, and no finer: "0.07", "<0.01". */
function wavesSaid(waves: number): string {
  return waves > 0 && waves < 0.01
    ? '<0.01'
    : formatNumber(Number(waves.toFixed(2)));
}
