/** What each line of the kernels costs a GPU's memory, counted without one; where there is one, beside what it counted. */
import * as React from 'react';
import type { ILineCost, IProfile } from '../../model/types';
import { ScrollTable } from '../../ui/table';
import { useTrans } from '../../ui/trans';

export function LineCosts({
  profile
}: {
  profile: IProfile;
}): React.JSX.Element | null {
  const trans = useTrans();
  const { lines } = profile;
  if (lines.length === 0) {
    return null;
  }
  const kernels = [...new Set(lines.map(({ kernel }) => kernel))];
  const onGpu = lines.some(({ gpu }) => gpu !== null);
  const name = (one: ILineCost) =>
    one.line === null
      ? trans.__('%1 %2', one.space, one.access)
      : trans.__('line %1, %2 %3', one.line, one.space, one.access);
  return (
    <ScrollTable
      label={trans.__('Cost of each line')}
      caption={trans.__('Cost of each line')}
      hint={
        onGpu
          ? trans.__(
              'counted for a request of a warp, in emulation and by ncu on the GPU; no times'
            )
          : trans.__('counted in emulation for a request of a warp; no times')
      }
      kind="kernels"
      columns={[
        { name: trans.__('Line') },
        { name: trans.__('A request costs'), kind: 'number' },
        ...(onGpu
          ? [{ name: trans.__('On the GPU'), kind: 'number' as const }]
          : []),
        { name: trans.__('Lanes'), kind: 'number' }
      ]}
      groups={kernels.map(kernel => ({
        name: kernel,
        rows: lines
          .filter(one => one.kernel === kernel)
          .map(one => ({
            name: name(one),
            cells: onGpu
              ? [one.cost, one.gpu_cost, one.lanes_words]
              : [one.cost, one.lanes_words],
            details: [one.text, one.advice].filter(text => text !== '')
          }))
      }))}
    />
  );
}
