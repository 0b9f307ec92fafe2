/** The choice of a problem among those of the runs, and how the attempts at each went. */

import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { resultWords } from '../../ui/words';
import { IAttempts } from './attempts';
import { Sparkline } from './sparkline';

/** Problems whose attempts are drawn at once. */
const MOST = 4;

interface IHistoryProps {
  groups: readonly IAttempts[];
  /** The one whose runs are listed; null for all. */
  only: IAttempts | null;
  choose: (key: string) => void;
  trans: TranslationBundle;
}

export function History({
  groups,
  only,
  choose,
  trans
}: IHistoryProps): React.JSX.Element {
  return (
    <>
      {groups.length > 1 && (
        <label className="jp-KernelPanel-problem">
          {trans.__('Problem')}
          <select
            value={only?.key ?? ''}
            onChange={({ target }) => choose(target.value)}
          >
            <option value="">{trans.__('all')}</option>
            {groups.map(({ key, name, runs }) => (
              <option key={key} value={key}>
                {`${name} (${runs.length})`}
              </option>
            ))}
          </select>
        </label>
      )}
      {(only ? [only] : groups.slice(0, MOST)).map(group => (
        <Attempts
          key={group.key}
          group={group}
          isNamed={groups.length > 1}
          trans={trans}
        />
      ))}
    </>
  );
}

/** How the attempts at a problem went; nothing of a single one. */
function Attempts({
  group: { name, points, best },
  isNamed,
  trans
}: {
  group: IAttempts;
  isNamed: boolean;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  return points.length < 2 ? null : (
    <div className="jp-KernelPanel-attempts">
      <Sparkline points={points} trans={trans} />
      <span>
        {isNamed && <b>{name}: </b>}
        {best
          ? trans.__(
              'best so far: #%1, %2',
              best.number,
              resultWords(best, trans)
            )
          : trans.__('none passed here so far')}
      </span>
    </div>
  );
}
