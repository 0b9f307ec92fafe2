import * as React from 'react';
import { failingCase } from '../../model/failingCase';
import type { IRunState } from '../../model/reportBus';
import type { IFailure, IReport } from '../../model/types';
import { CaseStrip } from '../parts/caseStrip';
import { Excerpt, SuggestedFix } from './excerpt';
import { Log } from '../parts/log';
import { Prose } from '../parts/prose';
import { isCellId, useView } from '../parts/view';
import { placeWords, stageName } from '../../ui/words';
import { useTrans, type Trans } from '../../ui/trans';

interface IFailureProps {
  report: IReport;
  failure: IFailure;
}

/** Why a run ended: what happened, where, and the one next step. */
export function Failure({ report, failure }: IFailureProps): React.JSX.Element {
  const trans = useTrans();
  const { where } = failure;
  const notRun = report.stages
    .filter(stage => stage.state === 'not run')
    .map(stage => stageName(stage.name, trans).toLowerCase());
  return (
    <div className="jp-KernelReport-body">
      <dl className="jp-KernelReport-message">
        <dt>{trans.__('What happened')}</dt>
        <dd>
          <Prose text={failure.what} />
        </dd>
        {where && (
          <>
            <dt>{trans.__('Where')}</dt>
            <dd>{placeWords(where, trans)}</dd>
          </>
        )}
        <dt>{trans.__('What to do')}</dt>
        <dd>
          <Prose text={failure.next_step} />
        </dd>
        {report.facts.length === 0 && report.cases.length > 0 && (
          <>
            <dt>{trans.__('Cases')}</dt>
            <dd>
              <CaseStrip report={report} />
            </dd>
          </>
        )}
        {notRun.length > 0 && (
          <>
            <dt>{trans.__('Not run')}</dt>
            <dd>{notRun.join(', ')}</dd>
          </>
        )}
      </dl>
      {where && where.excerpt.length > 0 && (
        <Excerpt place={where} failure={failure} />
      )}
      {failure.fix !== null && <SuggestedFix failure={failure} />}
      <NextStep report={report} failure={failure} />
      {failure.log && (
        <Log
          name={
            failure.stage === 'build'
              ? trans.__('Compiler output')
              : trans.__('Details')
          }
          text={failure.log}
          lines={failure.log_lines}
        />
      )}
    </div>
  );
}

function NextStep({
  report,
  failure
}: IFailureProps): React.JSX.Element | null {
  const trans = useTrans();
  const { actions, state } = useView();
  const { insertFix, insertFailingCase, revealCell } = actions;
  const { cell_id: cell, label } = report.candidate;
  if (!isCellId(cell)) {
    return null;
  }
  const line = failure.where?.line ?? null;
  const canFix = insertFix && failure.edit !== null;
  const canInsertCase = insertFailingCase && failingCase(report) !== null;
  // The line of another text, such as the reference's, is none of this cell.
  const canReveal =
    revealCell && line !== null && failure.where?.label === label;
  if (!canFix && !canInsertCase && !canReveal) {
    return null;
  }
  return (
    <div className="jp-KernelReport-do">
      {canFix && (
        <InsertFix
          label={label}
          disabledReason={fixDisabledReason(state, trans)}
          insert={insertFix}
        />
      )}
      {canInsertCase && (
        <button
          type="button"
          className="jp-KernelReport-button jp-mod-primary"
          aria-label={trans.__('Insert failing case as a cell below %1', label)}
          title={trans.__(
            'A cell that draws its inputs again and shows what is expected; it does not run by itself'
          )}
          onClick={() => insertFailingCase()}
        >
          {trans.__('Insert failing case as a cell')}
        </button>
      )}
      {canReveal && (
        <button
          type="button"
          className="jp-KernelReport-button"
          aria-label={trans.__('Go to line %1 of %2', line, label)}
          onClick={() => revealCell(cell, line)}
        >
          {trans.__('Go to line %1', line)}
        </button>
      )}
    </div>
  );
}

interface IInsertFixProps {
  /** Of the cell. */
  label: string;
  /** Empty where it can be inserted. */
  disabledReason: string;
  insert: () => void;
}

function InsertFix(props: IInsertFixProps): React.JSX.Element {
  const trans = useTrans();
  const { label, disabledReason, insert } = props;
  return (
    <button
      type="button"
      className="jp-KernelReport-button jp-mod-primary"
      aria-label={trans.__('Insert fix into %1', label)}
      aria-disabled={disabledReason !== ''}
      title={
        disabledReason ||
        trans.__('Write it into the cell; one undo takes it back')
      }
      onClick={() => {
        if (disabledReason === '') {
          insert();
        }
      }}
    >
      {trans.__('Insert fix')}
    </button>
  );
}

/** Why the fix cannot be inserted as it is shown, in words; empty if it can. */
function fixDisabledReason(state: IRunState | null, trans: Trans): string {
  if (state?.isStale) {
    return trans.__('The code was edited after this report: run it again');
  }
  if (state?.fix?.kind === 'placed') {
    return '';
  }
  switch (state?.fix?.why) {
    case 'differs':
      return trans.__('The report would insert another text than it shows');
    case 'hidden':
      return trans.__(
        'The fix or its line holds characters that cannot be shown for certain'
      );
    default:
      return trans.__('The cell has no such line as the report shows');
  }
}
