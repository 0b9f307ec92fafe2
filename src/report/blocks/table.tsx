/** A table of a report; its rows may have charts, which share an axis. */
import * as React from 'react';
import type { IColumn, IReport, IRow, ITable } from '../../model/types';
import { Glyph } from '../../ui/glyph';
import { appearanceOfState } from '../../ui/appearance';
import { ChartTable, ScrollTable, type IChartRow } from '../../ui/table';
import { useTrans } from '../../ui/trans';
import { nameWithArguments } from '../parts/kernelName';
import { Prose } from '../parts/prose';
import { isCellId, useView } from '../parts/view';
import { axisOf, MarkChart } from '../parts/markChart';

/** Columns beside which a chart gets more than half of the width. */
const FEW_COLUMNS = 4;
/** Columns that a narrow report has room for. */
const MOST_COLUMNS = 6;
/** Characters of a result; a shorter one stays on its line at any width. */
const LONG_RESULT = 8;

interface ITableProps {
  table: ITable;
  report: IReport;
}

export function BlockTable({ table, report }: ITableProps): React.JSX.Element {
  const { axis, columns } = table;
  const scale = axis && axisOf(axis);
  const drawn = {
    label: table.title,
    caption: table.title,
    hint: table.hint,
    columns: columns.map(({ name, kind, wide }) => ({
      name,
      kind:
        kind === 'text' || kind === 'code' || kind === 'kernel'
          ? undefined
          : kind,
      isWide: wide,
      isNameHidden: kind === 'chart' && name === 'Chart'
    })),
    groups: table.groups.map(({ name, rows }) => ({
      name,
      rows: rows.map(row => rowOf(row, table, report))
    }))
  };
  if (!axis || !scale) {
    const kind = columns.length > MOST_COLUMNS ? 'kernels' : undefined;
    return <ScrollTable kind={kind} {...drawn} />;
  }
  const kind = columns.length > FEW_COLUMNS ? undefined : 'strips';
  return (
    <div>
      <ChartTable
        kind={kind}
        {...drawn}
        foot={axis.shown ? { title: table.title, ...scale } : undefined}
      />
    </div>
  );
}

function rowOf(
  row: IRow,
  { axis, columns }: ITable,
  report: IReport
): IChartRow {
  const said = [row.name, row.cells.filter(cell => cell).join(', ')].join(': ');
  const rest = [...row.cells];
  const cells = columns
    .slice(1)
    .map(({ kind }) =>
      kind === 'chart' && axis ? (
        <MarkChart
          axis={axis}
          marks={row.marks}
          title={row.cells.filter(cell => cell).join(', ') || said}
          timing={report.timing}
        />
      ) : (
        <Cell text={rest.shift() ?? ''} kind={kind} row={row} />
      )
    );
  const details = row.details.map((text, n) => <Prose key={n} text={text} />);
  return {
    kind: row.kind || undefined,
    name: (
      <Name
        row={row}
        kind={columns[0]?.kind ?? 'text'}
        hasGlyph={!columns.some(({ kind }) => kind === 'result')}
        report={report}
      />
    ),
    cells,
    // A row with a chart says them where somebody points at it.
    details: axis ? [] : details,
    said: [said, ...row.details].join(', ')
  };
}

interface INameProps {
  row: IRow;
  kind: IColumn['kind'];
  hasGlyph: boolean;
  report: IReport;
}

/** What a row is about; a line of the program leads there. */
function Name({ row, kind, hasGlyph, report }: INameProps): React.JSX.Element {
  const trans = useTrans();
  const { revealCell } = useView().actions;
  const { cell_id: cell } = report.candidate;
  const { name, line } = row;
  return (
    <>
      {hasGlyph && row.state && (
        <>
          <Glyph appearance={appearanceOfState(row.state)} small />{' '}
        </>
      )}
      {line !== null && revealCell && isCellId(cell) ? (
        <button
          type="button"
          className="jp-KernelReport-link"
          title={trans.__('Go to line %1', line)}
          onClick={() => revealCell(cell, line)}
        >
          {name}
        </button>
      ) : (
        <Words text={name} kind={kind} />
      )}
    </>
  );
}

interface ICellProps {
  text: string;
  kind: IColumn['kind'];
  row: IRow;
}

function Cell({ text, kind, row }: ICellProps): React.JSX.Element {
  if (kind !== 'result') {
    return <Words text={text} kind={kind} />;
  }
  return (
    <span
      className={
        text.length > LONG_RESULT ? 'jp-KernelReport-longResult' : undefined
      }
    >
      {row.state && (
        <>
          <Glyph appearance={appearanceOfState(row.state)} small />
          {'\u00a0'}
        </>
      )}
      {text}
    </span>
  );
}

function Words({ text, kind }: Omit<ICellProps, 'row'>): React.JSX.Element {
  switch (kind) {
    case 'code':
      return <code>{text}</code>;
    case 'kernel':
      // As a person would say it; its whole name where one points.
      return <code title={text}>{nameWithArguments(text)}</code>;
    default:
      return <Prose text={text} />;
  }
}
