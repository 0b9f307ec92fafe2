import * as React from 'react';
import type { ICase, IReport } from '../../model/types';
import { useTrans } from '../../ui/trans';

const PITCH = 13;
const PER_ROW = 16;

/** One square a case, in the order of the run; the table says the same in words. */
export function CaseStrip({ report }: { report: IReport }): React.JSX.Element {
  const { cases, cases_conclusion } = report;
  const trans = useTrans();
  const id = React.useId();
  const rows = Math.ceil(cases.length / PER_ROW);
  return (
    <svg
      className="jp-KernelReport-strip"
      role="img"
      aria-labelledby={id}
      width={Math.min(cases.length, PER_ROW) * PITCH}
      height={rows * PITCH}
    >
      <title id={id}>
        {[trans.__('Cases'), cases_conclusion].filter(part => part).join(': ')}
      </title>
      {cases.map((one, n) => (
        <g
          key={n}
          transform={`translate(${(n % PER_ROW) * PITCH}, ${Math.floor(n / PER_ROW) * PITCH})`}
        >
          <Square outcome={one.outcome} />
        </g>
      ))}
    </svg>
  );
}

function Square({ outcome }: Pick<ICase, 'outcome'>): React.JSX.Element {
  switch (outcome) {
    case 'pass':
      return (
        <rect className="jp-mod-pass" x="0" y="1" width="10" height="10" />
      );
    case 'fail':
      return <path className="jp-mod-fail" d="M1 2l8 8M9 2l-8 8" />;
    case 'unsupported':
      return <path className="jp-mod-none" d="M.5 1.5h9v9h-9zM2.5 6h5" />;
    case 'not run':
      return (
        <rect
          className="jp-mod-none"
          x="0.5"
          y="1.5"
          width="9"
          height="9"
          strokeDasharray="2 2"
        />
      );
  }
}
