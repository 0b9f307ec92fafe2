import * as React from 'react';

import { IRun } from '../../tokens';
import { Accordion } from '../section';
import { ISectionProps } from '../props';
import { attemptsOf } from './attempts';
import { Comparison } from './comparison';
import { asCsv, asJson, save } from './exports';
import { History } from './history';
import { RunTable } from './table';

interface IRunsProps extends ISectionProps {
  runs: readonly IRun[];
  /** The ids of those that are compared; two at most. */
  compared: readonly string[];
}

export function Runs({
  runs,
  compared,
  actions,
  trans
}: IRunsProps): React.JSX.Element {
  const [chosen, setChosen] = React.useState('');
  const groups = React.useMemo(() => attemptsOf(runs), [runs]);
  // The runs of a problem may all be gone.
  const only = groups.find(({ key }) => key === chosen) ?? null;
  const best = new Set(
    groups.map(group => (group.runs.length > 1 ? group.best?.id : undefined))
  );
  const isCompared = ({ id }: IRun) => compared.includes(id);
  return (
    <Accordion
      title={trans.__('Runs in this notebook')}
      note={String(runs.length)}
    >
      {runs.length === 0 ? (
        <p className="jp-KernelPanel-quiet">
          {trans.__('No runs yet. Verify the program of a cell.')}
        </p>
      ) : (
        <>
          <History
            groups={groups}
            only={only}
            choose={setChosen}
            trans={trans}
          />
          <RunTable
            runs={only ? only.runs : runs}
            isCompared={runs.length > 1 ? isCompared : null}
            isBest={({ id }) => best.has(id)}
            actions={actions}
            trans={trans}
          />
          <Comparison
            runs={runs.filter(isCompared).reverse()}
            isAlone={runs.length === 1}
            actions={actions}
            trans={trans}
          />
          <Exports runs={runs} trans={trans} />
        </>
      )}
    </Accordion>
  );
}

/** What takes all runs out of the notebook, into a file. */
function Exports({
  runs,
  trans
}: Pick<IRunsProps, 'runs' | 'trans'>): React.JSX.Element {
  return (
    <div className="jp-KernelPanel-bar">
      <button
        title={trans.__('The whole reports, in one file')}
        onClick={() => save('runs.json', 'application/json', asJson(runs))}
      >
        {trans.__('Export JSON')}
      </button>
      <button
        title={trans.__('A line of figures for each run')}
        onClick={() => save('runs.csv', 'text/csv', asCsv(runs))}
      >
        {trans.__('Export CSV')}
      </button>
    </div>
  );
}
