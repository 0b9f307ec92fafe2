import * as React from 'react';
import type { ICase } from '../../model/types';
import { appearanceOfOutcome } from '../../ui/appearance';
import { Glyph } from '../../ui/glyph';
import { contractName } from '../../ui/words';
import { ScrollTable, type IRow } from '../../ui/table';
import { Prose } from '../parts/prose';
import { useTrans, type Trans } from '../../ui/trans';

/** Characters of a result; a shorter one stays on its line at any width. */
const LONG_RESULT = 8;

/** Every case with its worst error; the first failure first, else as run. */
export function CaseTable({ cases }: { cases: ICase[] }): React.JSX.Element {
  const trans = useTrans();
  const contracts = (['problem', 'drop-in'] as const)
    .map(contract => ({
      contract,
      rows: failureFirst(cases.filter(one => one.contract === contract))
    }))
    .filter(({ rows }) => rows.length > 0)
    .sort((a, b) => failing(b.rows) - failing(a.rows));
  return (
    <div>
      <ScrollTable
        label={trans.__('Cases')}
        caption={trans.__('Cases')}
        hint={trans.__('against the reference, on the same input')}
        columns={[
          { name: trans.__('Case') },
          { name: trans.__('Shape') },
          { name: trans.__('dtype') },
          { name: trans.__('Layout') },
          { name: trans.__('Max error'), kind: 'number' },
          { name: trans.__('Result'), kind: 'result' }
        ]}
        groups={contracts.map(({ contract, rows }) => ({
          name: contractName(contract, trans),
          rows: rows.map(one => caseRow(one, trans))
        }))}
      />
      <p className="jp-KernelReport-note">
        {cases.some(one => one.max_ulp !== null) &&
          trans.__(
            'ulp = units in the last place of the result’s dtype; NaN payloads are not compared.'
          )}{' '}
        {cases.some(one => one.error_units !== null) &&
          trans.__('u = roundings of the result’s dtype, against float64.')}
      </p>
    </div>
  );
}

function caseRow(one: ICase, trans: Trans): IRow {
  const details = [
    one.details || one.message,
    one.first && one.first.input !== null
      ? trans.__('input %1', one.first.input)
      : ''
  ].filter(part => part !== '');
  return {
    kind: one.outcome === 'fail' ? 'failed' : undefined,
    name: (
      <>
        {one.name}{' '}
        {one.distribution !== one.name && <small>({one.distribution})</small>}
      </>
    ),
    cells: [
      <code>{one.shape}</code>,
      <code>{one.dtype}</code>,
      <code>{one.layout}</code>,
      one.error || '–',
      <Result case={one} />
    ],
    details:
      details.length > 0
        ? [<Prose key="words" text={details.join('; ')} />]
        : []
  };
}

/** The longest, "not supported", may take two lines. */
function Result({ case: one }: { case: ICase }): React.JSX.Element {
  const words = one.result || one.outcome;
  return (
    <span
      className={
        words.length > LONG_RESULT ? 'jp-KernelReport-longResult' : undefined
      }
    >
      <Glyph appearance={appearanceOfOutcome(one.outcome)} small />
      {`\u00a0${words}`}
    </span>
  );
}

/** 1 if a case failed, else 0: the group with the failure goes first. */
function failing(cases: ICase[]): number {
  return cases.some(({ outcome }) => outcome === 'fail') ? 1 : 0;
}

function failureFirst(cases: ICase[]): ICase[] {
  const first = cases.find(({ outcome }) => outcome === 'fail');
  return first ? [first, ...cases.filter(one => one !== first)] : cases;
}
