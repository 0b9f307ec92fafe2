import * as React from 'react';
import {
  formatCount,
  formatDurations,
  formatKibibytes,
  formatNumber,
  formatRate
} from '../../report/format';
import { roleOf } from '../../report/speed';
import type {
  IBuildFacts,
  IKernelFacts,
  IProfile,
  ITiming
} from '../../report/types';
import { occupancyWords, upperFirst } from './speedwords';
import { shortName } from './timeline';
import { useView } from './view';

const COLUMNS = 9;

interface IResourcesProps {
  profile: IProfile;
  timing: ITiming | null;
}

/** Every kernel with its launch and what it needs of a multiprocessor. */
export function Resources(props: IResourcesProps): React.JSX.Element | null {
  const { trans } = useView();
  const { kernels } = props.profile;
  if (kernels.length === 0) {
    return null;
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
              trans.__('Grid x block'),
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
            name={trans.__(
              '%1, %2',
              roleOf(props.timing, program) === 'candidate'
                ? upperFirst(program)
                : program,
              phase
            )}
            kernels={kernels.filter(
              one => one.program === program && one.phase === phase
            )}
          />
        ))}
      </table>
    </div>
  );
}

interface IGroupProps {
  name: string;
  kernels: IKernelFacts[];
}

function Group({ name, kernels }: IGroupProps): React.JSX.Element {
  const { trans } = useView();
  const times = formatDurations(kernels.map(({ seconds }) => seconds));
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
              <code title={one.name}>{shortName(one.name)}</code>
            </th>
            <td className="jp-mod-number">{formatCount(one.calls)}</td>
            <td className="jp-mod-number">{times[n]}</td>
            <td className="jp-mod-number">{launch(one)}</td>
            <td className="jp-mod-number">{one.registers ?? '–'}</td>
            <td className="jp-mod-number">{shared(one)}</td>
            <td className="jp-mod-number">{bytes(one.spill_bytes)}</td>
            <td className="jp-mod-number">
              {occupancyWords(one.occupancy, '', trans)}
            </td>
            <td className="jp-mod-number">{rate(one)}</td>
          </tr>
          {details(one) && (
            <tr className="jp-mod-detail">
              <td colSpan={COLUMNS}>{details(one)}</td>
            </tr>
          )}
        </React.Fragment>
      ))}
    </tbody>
  );

  /** How many waves the grid makes, and what the device counted. */
  function details(one: IKernelFacts): string {
    return [
      one.occupancy_limit
        ? trans.__('occupancy limited by %1', one.occupancy_limit)
        : '',
      one.waves !== null ? trans.__('%1 waves', formatNumber(one.waves)) : '',
      ...one.counters.map(counter =>
        `${counter.name} ${formatNumber(counter.value)} ${counter.unit}`.trim()
      )
    ]
      .filter(part => part !== '')
      .join('; ');
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
    : '–';
}

function shared(one: IKernelFacts): string {
  const { static_shared_bytes: fixed, dynamic_shared_bytes: dynamic } = one;
  return fixed === null && dynamic === null
    ? '–'
    : formatKibibytes((fixed ?? 0) + (dynamic ?? 0));
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
  const { trans } = useView();
  if (builds.length === 0) {
    return null;
  }
  const archs = [...new Set(builds.map(({ arch }) => arch))];
  const kernels = [...new Set(builds.map(({ name }) => name))];
  const name = trans.__('Build');
  const quantities: [string, (one: IBuildFacts) => string][] = [
    [trans.__('Registers a thread'), one => formatCount(one.registers)],
    [
      trans.__('Shared memory a block'),
      one => formatKibibytes(one.static_shared_bytes)
    ],
    [trans.__('Spills'), one => bytes(one.spill_bytes)],
    [
      trans.__('Theoretical occupancy'),
      one => occupancyWords(one.occupancy, one.occupancy_limit, trans)
    ]
  ];
  return (
    <div
      className="jp-KernelReport-scroll"
      role="group"
      aria-label={name}
      tabIndex={0}
    >
      <table className="jp-KernelReport-table jp-mod-narrow">
        <caption>
          {name}{' '}
          <small>
            {trans.__('as the compiler says; nothing here was run')}
          </small>
        </caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('Quantity')}</th>
            {archs.map(arch => (
              <th key={arch} scope="col" className="jp-mod-number">
                {arch}
              </th>
            ))}
          </tr>
        </thead>
        {kernels.map(kernel => (
          <tbody key={kernel}>
            <tr className="jp-mod-group">
              <th colSpan={1 + archs.length} scope="rowgroup">
                <code title={kernel}>{shortName(kernel)}</code>
              </th>
            </tr>
            {quantities.map(([quantity, of]) => (
              <tr key={quantity}>
                <th scope="row">{quantity}</th>
                {archs.map(arch => {
                  const one = builds.find(
                    build => build.name === kernel && build.arch === arch
                  );
                  return (
                    <td key={arch} className="jp-mod-number">
                      {one ? of(one) : '–'}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
