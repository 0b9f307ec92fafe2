/**
 * The tables of a report: a caption, columns, groups of rows, and the axis below
 * a column of charts. In: names and cells. Out: the markup, the same for every
 * table. Not here: what is in a cell.
 */
import * as React from 'react';
import { Axis } from './charts/axis';
import { Chart } from './charts/chart';
import { Explore, useMark } from './charts/explore';
import type { IScale } from './charts/scale';

export interface IColumn {
  readonly name: string;
  /** What its cells hold; text unless it is said. */
  readonly kind?: 'number' | 'chart' | 'result';
  /** Left out where the report is narrow. */
  readonly isWide?: boolean;
  /** Its name is for screen readers only. */
  readonly isNameHidden?: boolean;
}

export interface IRow {
  readonly name: React.ReactNode;
  /** One for each column after the first. */
  readonly cells: readonly React.ReactNode[];
  readonly kind?: 'candidate' | 'limit' | 'failed';
  /** Lines below it, across all columns. */
  readonly details?: readonly React.ReactNode[];
}

/** A row that a chart is in. */
export interface IChartRow extends IRow {
  /** Its value in words, shown to a pointer or the arrow keys. */
  readonly said: string;
}

export interface IRowGroup<Row extends IRow = IRow> {
  /** Its heading; empty where it has none. */
  readonly name: string;
  readonly rows: readonly Row[];
}

/** The axis below the charts, which are the second column. */
export interface IFoot {
  readonly title: string;
  readonly scale: IScale;
  readonly label: (tick: number) => string;
}

interface ITableProps<Row extends IRow = IRow> {
  readonly caption?: string;
  /** In the caption, after its name. */
  readonly hint?: string | null;
  readonly kind?: 'kernels' | 'narrow' | 'strips' | 'intervals';
  readonly columns: readonly IColumn[];
  readonly groups: readonly IRowGroup<Row>[];
  readonly foot?: IFoot;
}

interface ILabelled {
  /** What the region around the table is called. */
  readonly label: string;
}

/** A table with a column of charts: its rows take the pointer and the arrow keys. */
export function ChartTable({
  label,
  ...table
}: ITableProps<IChartRow> & ILabelled): React.JSX.Element {
  const said = table.groups.flatMap(({ rows }) => rows.map(row => row.said));
  return (
    <Explore label={label} values={said}>
      <Table {...table} rowsAreMarks />
    </Explore>
  );
}

/** A table that scrolls where the report is too narrow for it. */
export function ScrollTable({
  label,
  ...table
}: ITableProps & ILabelled): React.JSX.Element {
  return (
    <div
      className="jp-KernelReport-scroll"
      role="group"
      aria-label={label}
      tabIndex={0}
    >
      <Table {...table} />
    </div>
  );
}

/** `rowsAreMarks`: of the chart around the table, in their order. */
export function Table(
  props: ITableProps & { rowsAreMarks?: boolean }
): React.JSX.Element {
  const { caption, hint, kind, columns, groups, foot, rowsAreMarks } = props;
  const firstMarks = groups.map((_, n) =>
    groups.slice(0, n).reduce((sum, { rows }) => sum + rows.length, 0)
  );
  return (
    <table className={`jp-KernelReport-table${kind ? ` jp-mod-${kind}` : ''}`}>
      {caption && (
        <caption>
          {caption} <small>{hint}</small>
        </caption>
      )}
      <thead>
        <tr>
          {columns.map((column, n) => (
            <ColumnName key={n} column={column} />
          ))}
        </tr>
      </thead>
      {groups.map(({ name, rows }, n) => (
        <tbody key={n}>
          {name && (
            <tr className="jp-mod-group">
              <th colSpan={columns.length} scope="rowgroup">
                {name}
              </th>
            </tr>
          )}
          {rows.map((row, place) =>
            rowsAreMarks ? (
              <MarkedRow
                key={place}
                row={row}
                columns={columns}
                mark={firstMarks[n]! + place}
              />
            ) : (
              <PlainRow key={place} row={row} columns={columns} />
            )
          )}
        </tbody>
      ))}
      {foot && <Foot {...foot} after={columns.length - 2} />}
    </table>
  );
}

function ColumnName({ column }: { column: IColumn }): React.JSX.Element {
  const { name, kind, isWide, isNameHidden } = column;
  // Results are text, and are only kept on one line.
  const className = classOf(kind === 'result' ? undefined : kind, isWide);
  return (
    <th scope="col" className={className}>
      {isNameHidden ? (
        <span className="jp-KernelReport-hidden">{name}</span>
      ) : (
        name
      )}
    </th>
  );
}

interface IRowProps {
  row: IRow;
  columns: readonly IColumn[];
}

function MarkedRow({
  mark,
  ...props
}: IRowProps & { mark: number }): React.JSX.Element {
  const { className, ...pointed } = useMark(mark);
  const kind = classOf(props.row.kind) ?? '';
  return (
    <tr {...pointed} className={`${className} ${kind}`.trim()}>
      <Cells {...props} />
    </tr>
  );
}

function PlainRow(props: IRowProps): React.JSX.Element {
  const { row, columns } = props;
  return (
    <>
      <tr className={classOf(row.kind)}>
        <Cells {...props} />
      </tr>
      {row.details?.map((line, n) => (
        <tr key={n} className="jp-mod-detail">
          <td colSpan={columns.length}>{line}</td>
        </tr>
      ))}
    </>
  );
}

function Cells({ row, columns }: IRowProps): React.JSX.Element {
  return (
    <>
      <th scope="row">{row.name}</th>
      {row.cells.map((cell, n) => {
        const { kind, isWide } = columns[n + 1] ?? {};
        return (
          <td key={n} className={classOf(kind, isWide)}>
            {cell}
          </td>
        );
      })}
    </>
  );
}

function Foot(props: IFoot & { after: number }): React.JSX.Element {
  return (
    <tfoot>
      <tr>
        <td />
        <td className="jp-mod-chart">
          <Chart height={20} title={props.title}>
            <Axis scale={props.scale} y={1} label={props.label} />
          </Chart>
        </td>
        <td colSpan={props.after} />
      </tr>
    </tfoot>
  );
}

function classOf(kind: string | undefined, isWide = false): string | undefined {
  return kind && `jp-mod-${kind}${isWide ? ' jp-mod-wide' : ''}`;
}
