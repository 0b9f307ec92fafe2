import { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Glyph } from '../../ui/glyph';
import { IAppearance, appearanceOf } from '../../ui/appearance';
import { IRun } from '../../tokens';
import { Accordion } from '../section';
import { ISectionProps } from '../props';
import { clockTime } from '../../ui/format';
import { resultWords } from '../../ui/words';
import { goToWords } from '../words';
import { Comparison } from './comparison';
import { asCsv, asJson, save } from './exports';

/** Drawn at first: with a thousand, each update would take its time. */
const SHOWN = 50;

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
          <RunTable
            runs={runs}
            isCompared={runs.length > 1 ? isCompared : null}
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

interface IRunTableProps extends ISectionProps {
  runs: readonly IRun[];
  /** Null where there is nothing to compare with. */
  isCompared: ((run: IRun) => boolean) | null;
}

function RunTable({
  runs,
  isCompared,
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

/** What takes all runs out of the notebook, into a file. */
function Exports({
  runs,
  trans
}: Pick<IRunTableProps, 'runs' | 'trans'>): React.JSX.Element {
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

interface IRowProps extends ISectionProps {
  run: IRun;
  /** Null where there is nothing to compare it with. */
  isCompared: boolean | null;
}

function RunRow({
  run,
  isCompared,
  actions,
  trans
}: IRowProps): React.JSX.Element {
  const { report, cell, number } = run;
  const sentence = report.verdict?.sentence ?? report.progress ?? '';
  const result = resultWords(run, trans);
  return (
    <tr className={isCompared ? 'jp-mod-selected' : undefined}>
      {isCompared !== null && (
        <td className="jp-mod-narrow">
          <input
            type="checkbox"
            aria-label={trans.__('Compare run %1', number)}
            checked={isCompared}
            onChange={() => actions.toggleCompared(run.id)}
          />
        </td>
      )}
      <th scope="row">
        {report.problem.name}
        <small>
          {trans.__('#%1 · %2', number, startedAt(report.created, trans))}
        </small>
      </th>
      <td title={sentence}>
        <span className="jp-KernelPanel-result">
          <Glyph appearance={appearanceOfRun(run)} small />
          <span>{result}</span>
        </span>
        {sentence !== result && (
          <small className="jp-KernelPanel-sentence">{sentence}</small>
        )}
        {isSaved(run) && (
          <small>{trans.__('from the file, not run here')}</small>
        )}
        {run.isStale && <small>{trans.__('older than the cell')}</small>}
      </td>
      <td>
        {cell ? (
          <button
            className="jp-mod-link"
            aria-label={goToWords(cell, trans)}
            onClick={() => actions.goToRun(run.id)}
          >
            [{cell.prompt ?? ' '}]
          </button>
        ) : (
          <span title={trans.__('No cell shows this run any more')}>–</span>
        )}
        {!run.isRunning && (
          <DeleteButton run={run} actions={actions} trans={trans} />
        )}
      </td>
    </tr>
  );
}

/** A run that did not change is the same object, and is not drawn again. */
const Row = React.memo(RunRow);

interface IDeleteButtonProps extends ISectionProps {
  run: IRun;
}

function DeleteButton({
  run: { id, number },
  actions,
  trans
}: IDeleteButtonProps): React.JSX.Element {
  return (
    <button
      className="jp-mod-flat jp-KernelPanel-delete"
      aria-label={trans.__('Delete run %1', number)}
      title={trans.__(
        'Take the run and its report out of the notebook; it can be undone'
      )}
      onClick={({ currentTarget }) => {
        keepFocus(currentTarget);
        actions.deleteRun(id);
      }}
    >
      <closeIcon.react tag={null} />
    </button>
  );
}

/** The row goes: the focus passes to the one below it, or above. */
function keepFocus(button: HTMLElement): void {
  const row = button.closest('tr');
  (row?.nextElementSibling ?? row?.previousElementSibling)
    ?.querySelector<HTMLElement>('.jp-KernelPanel-delete')
    ?.focus();
}

function appearanceOfRun(run: IRun): IAppearance {
  if (run.report.state === 'running' && !run.isRunning) {
    return { tone: 'none', shape: 'minus' };
  }
  const appearance = appearanceOf(run.report);
  return isSaved(run) ? { ...appearance, tone: 'none' } : appearance;
}

/** Whether the notebook's file alone says how it ended. */
function isSaved({ heardAt, report }: IRun): boolean {
  return heardAt === null && report.state === 'finished';
}

function startedAt(created: string, trans: TranslationBundle): string {
  const at = new Date(created);
  return Number.isNaN(at.getTime()) ? trans.__('time unknown') : clockTime(at);
}
