import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../format.js';
import { type Loaded, type Pages, useAction } from '../use-load.js';
import { Empty, ErrorNotice, Skeleton } from './parts.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Aligns digits in columns. */
  readonly isNumber?: boolean;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Shown below all rows. */
  readonly total?: Row | undefined;
}

/** A table in a scrollable box that the keyboard can reach. The first column is the row header; the head stays in sight. */
export function DataTable<Row>({ caption, columns, rows, rowKey, total }: DataTableProps<Row>) {
  const cells = (row: Row) =>
    columns.map(({ title, cell, isNumber }, index) => {
      const className = isNumber ? 'number' : undefined;
      return index === 0 ? (
        <th key={title} scope="row" class={className}>
          {cell(row)}
        </th>
      ) : (
        <td key={title} class={className}>
          {cell(row)}
        </td>
      );
    });
  return (
    <section class="table-box" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>{cells(row)}</tr>
          ))}
        </tbody>
        {total !== undefined && (
          <tfoot>
            <tr>{cells(total)}</tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

interface LoadedTableProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  readonly loaded: Pick<Loaded<{ readonly data: readonly Row[] }>, 'data' | 'error' | 'isLoading' | 'reload'>;
  /** Says what to do when there is no row. */
  readonly empty: ComponentChildren;
}

/** A table of what is loaded: a skeleton before, an error with a remedy, or a hint if there is no row. */
export function LoadedTable<Row>({
  loaded: { data, error, isLoading, reload },
  empty,
  ...table
}: LoadedTableProps<Row>) {
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && isLoading && <Skeleton what={table.caption} />}
      {data?.data.length === 0 && <Empty>{empty}</Empty>}
      {data !== undefined && data.data.length > 0 && <DataTable {...table} rows={data.data} />}
    </>
  );
}

/** Loads the next page of a list, if there is one. The button keeps the focus, also behind the last page. */
export function MoreButton({ pages }: { pages: Pages<unknown> }) {
  const { isBusy, error, run } = useAction();
  const [wasUsed, setUsed] = useState(false);
  const { more, data } = pages;
  if (more === null && !wasUsed) return null;
  const load = () => {
    setUsed(true);
    if (more !== null && !isBusy) void run(more);
  };
  return (
    <>
      <ErrorNotice error={error} />
      <div class="more">
        <button type="button" aria-disabled={isBusy || more === null} onClick={load}>
          {isBusy ? 'Loading…' : more === null ? 'That is all' : 'Show more'}
        </button>
        <span role="status" class="hint">
          {wasUsed && !isBusy && `${count(data?.data.length ?? 0)} are shown`}
        </span>
      </div>
    </>
  );
}
