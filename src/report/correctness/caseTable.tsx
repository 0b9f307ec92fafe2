import * as React from 'react';
import { formatNumber } from '../../ui/format';
import type { ICase } from '../../model/types';
import { appearanceOfOutcome } from '../../ui/appearance';
import { Glyph } from '../../ui/glyph';
import { contractName } from '../../ui/words';
import { useTrans } from '../../ui/trans';

const COLUMNS = 6;

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
  const name = trans.__('Cases');
  return (
    <div>
      <div
        className="jp-KernelReport-scroll"
        role="group"
        aria-label={name}
        tabIndex={0}
      >
        <table className="jp-KernelReport-table">
          <caption>
            {name}{' '}
            <small>
              {trans.__('against the reference, on the same input')}
            </small>
          </caption>
          <thead>
            <tr>
              <th scope="col">{trans.__('Case')}</th>
              <th scope="col">{trans.__('Shape')}</th>
              <th scope="col">{trans.__('dtype')}</th>
              <th scope="col">{trans.__('Layout')}</th>
              <th scope="col" className="jp-mod-number">
                {trans.__('Max error')}
              </th>
              <th scope="col">{trans.__('Result')}</th>
            </tr>
          </thead>
          {contracts.map(({ contract, rows }) => (
            <tbody key={contract}>
              <tr className="jp-mod-group">
                <th scope="rowgroup" colSpan={COLUMNS}>
                  {contractName(contract, trans)}
                </th>
              </tr>
              {rows.map((one, n) => (
                <CaseRow key={n} one={one} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
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

function CaseRow({ one }: { one: ICase }): React.JSX.Element {
  const trans = useTrans();
  const failed = one.outcome === 'fail';
  const details = [
    one.details || one.message,
    one.first && one.first.input !== null
      ? trans.__('input %1', one.first.input)
      : ''
  ].filter(part => part !== '');
  return (
    <>
      <tr className={failed ? 'jp-mod-failed' : undefined}>
        <th scope="row">
          {one.name}{' '}
          {one.distribution !== one.name && <small>({one.distribution})</small>}
        </th>
        <td>
          <code>{one.shape}</code>
        </td>
        <td>
          <code>{one.dtype}</code>
        </td>
        <td>
          <code>{one.layout}</code>
        </td>
        <td className="jp-mod-number">{maxError(one)}</td>
        <td className="jp-mod-result">
          <Glyph appearance={appearanceOfOutcome(one.outcome)} small />{' '}
          {one.result || one.outcome}
        </td>
      </tr>
      {details.length > 0 && (
        <tr className="jp-mod-detail">
          <td colSpan={COLUMNS}>{details.join('; ')}</td>
        </tr>
      )}
    </>
  );
}

function maxError({ error, error_units, max_ulp }: ICase): string {
  if (error !== '') {
    return error;
  }
  return error_units !== null
    ? `${formatNumber(error_units, 2)} u`
    : max_ulp !== null
      ? `${formatNumber(max_ulp, 2)} ulp`
      : '–';
}

/** 1 if a case failed, else 0: the group with the failure goes first. */
function failing(cases: ICase[]): number {
  return cases.some(({ outcome }) => outcome === 'fail') ? 1 : 0;
}

function failureFirst(cases: ICase[]): ICase[] {
  const first = cases.find(({ outcome }) => outcome === 'fail');
  return first ? [first, ...cases.filter(one => one !== first)] : cases;
}
