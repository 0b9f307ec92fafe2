/** What a compiler makes of each line of the kernels. */
import * as React from 'react';
import type { ILineBuild } from '../../model/types';
import { ScrollTable } from '../../ui/table';
import { useTrans } from '../../ui/trans';

export function LineBuilds({
  lines
}: {
  lines: readonly ILineBuild[];
}): React.JSX.Element | null {
  const trans = useTrans();
  if (lines.length === 0) {
    return null;
  }
  const kernels = [...new Set(lines.map(({ kernel }) => kernel))];
  return (
    <ScrollTable
      label={trans.__('Instructions of each line')}
      caption={trans.__('Instructions of each line')}
      hint={trans.__('in the compiled code, each counted once; no times')}
      kind="kernels"
      columns={[
        { name: trans.__('Line') },
        { name: trans.__('Instructions'), kind: 'number' }
      ]}
      groups={kernels.map(kernel => ({
        name: kernel,
        rows: lines
          .filter(one => one.kernel === kernel)
          .map(one => ({
            name:
              one.line === null
                ? trans.__('elsewhere')
                : trans.__('line %1', one.line),
            cells: [one.words],
            details: [one.text, one.advice].filter(text => text !== '')
          }))
      }))}
    />
  );
}
