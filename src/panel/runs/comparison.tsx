import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IRun } from '../../tokens';
import { comparisonOf } from '../../ui/comparison';
import { IPanelActions } from '../actions';

interface IComparisonProps {
  /** The earlier one first; one or two. */
  runs: readonly IRun[];
  /** There is no other run to choose. */
  isAlone: boolean;
  actions: IPanelActions;
  trans: TranslationBundle;
}

/** Two runs side by side; with one, how to come to two. */
export function Comparison({
  runs,
  isAlone,
  actions,
  trans
}: IComparisonProps): React.JSX.Element | null {
  const [before, after] = runs;
  if (!before) {
    return null;
  }
  // The focus goes here when a report asks for it.
  return (
    <section
      className="jp-KernelPanel-comparison"
      aria-label={trans.__('Comparison')}
      tabIndex={-1}
    >
      {after ? (
        <Table before={before} after={after} actions={actions} trans={trans} />
      ) : (
        <p className="jp-KernelPanel-quiet">
          {isAlone
            ? trans.__('This is the only run of the notebook so far.')
            : trans.__(
                'Select another run to compare with run %1.',
                before.number
              )}
        </p>
      )}
    </section>
  );
}

interface ITableProps {
  before: IRun;
  after: IRun;
  actions: IPanelActions;
  trans: TranslationBundle;
}

function Table({
  before,
  after,
  actions,
  trans
}: ITableProps): React.JSX.Element {
  const { title, rows, note, isSameProgram } = comparisonOf(
    before,
    after,
    trans
  );
  return (
    <>
      <table className="jp-KernelPanel-runs">
        <caption>{title}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">#{before.number}</th>
            <th scope="col">#{after.number}</th>
            <th scope="col">{trans.__('Change')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell, n) => (
                <td key={n}>{cell || '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {note && <p className="jp-KernelPanel-quiet">{note}</p>}
      <div className="jp-KernelPanel-bar">
        {!isSameProgram && (
          <button
            title={trans.__('What changed in the program, beside the notebook')}
            onClick={() => actions.showDifference(before.id, after.id)}
          >
            {trans.__('Source diff')}
          </button>
        )}
        <button
          title={trans.__('This table, as text below the later run')}
          onClick={() => actions.insertComparison(before.id, after.id)}
        >
          {trans.__('Insert comparison as a cell')}
        </button>
      </div>
    </>
  );
}
