/** The runs of the notebook in front in one table, or those of one of its problems. */

import * as React from 'react';

import { IRun } from '../../tokens';
import { ISectionProps } from '../props';
import { Row } from './row';

/** Drawn at first: with a thousand, each update would take its time. */
const SHOWN = 50;

interface IRunTableProps extends ISectionProps {
  runs: readonly IRun[];
  /** Null if there is nothing to compare with. */
  isCompared: ((run: IRun) => boolean) | null;
  isBest: (run: IRun) => boolean;
}

export function RunTable({
  runs,
  isCompared,
  isBest,
  actions,
  trans
}: IRunTableProps): React.JSX.Element {
  const [isWhole, setWhole] = React.useState(false);
  const shown = isWhole ? runs : runs.slice(0, SHOWN);
  return (
    <>
      <table className="jp-KernelPanel-runs">
        <caption className="jp-KernelPanel-hidden">
          {trans.__('Runs in this notebook, newest first')}
        </caption>
        <thead>
          <tr>
            {isCompared && (
              <th scope="col">
                <span className="jp-KernelPanel-hidden">
                  {trans.__('Compare')}
                </span>
              </th>
            )}
            <th scope="col">{trans.__('Run')}</th>
            <th scope="col">{trans.__('Result')}</th>
            <th scope="col">{trans.__('Cell')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(run => (
            <Row
              key={run.id}
              run={run}
              isCompared={isCompared && isCompared(run)}
              isBest={isBest(run)}
              actions={actions}
              trans={trans}
            />
          ))}
        </tbody>
      </table>
      {shown.length < runs.length && (
        <button className="jp-mod-link" onClick={() => setWhole(true)}>
          {trans.__('Show all %1 runs', runs.length)}
        </button>
      )}
    </>
  );
}
