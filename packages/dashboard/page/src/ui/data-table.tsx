import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../format.js';
import { type Loaded, type Pages, useAction } from '../use-load.js';
import { Empty, ErrorNotice, Skeleton } from './parts.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Aligns digits in columns. */
  readonly isNumber?: boolean;
  /** A class of its cells, for styles. */
  readonly name?: string;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Shown below all rows. */
  readonly total?: Row | undefined;
  /** Whether a click on a row is one on its first link. */
  readonly opensRows?: boolean;
  /** The row of this key is marked. */
  readonly current?: string | undefined;
}

/** Not in place of a link or a selection of text. */
function openRow({ currentTarget, target }: TargetedMouseEvent<HTMLTableRowElement>): void {
  const isOther = target instanceof Element && target.closest('a, button') !== null;
  if (isOther || getSelection()?.isCollapsed === false) return;
  const link = currentTarget.querySelector('a');
  link?.focus();
  link?.click();
}

/** A table in a scrollable box that the keyboard can reach. The first column is the row header; the head stays in sight. */
export function DataTable<Row>({ caption, columns, rows, rowKey, total, opensRows, current }: DataTableProps<Row>) {
  const cells = (row: Row) =>
    columns.map(({ title, cell, isNumber, name }, index) => {
      const Cell = index === 0 ? 'th' : 'td';
      return (
        <Cell key={title} scope={index === 0 ? 'row' : undefined} class={classOf(isNumber, name)}>
          {cell(row)}
        </Cell>
      );
    });
  return (
    <section class="table-box" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber, name }) => (
              <th key={title} scope="col" class={classOf(isNumber, name)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              aria-current={rowKey(row) === current || undefined}
              onClick={opensRows ? openRow : undefined}
            >
              {cells(row)}
            </tr>
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

function classOf(isNumber = false, name?: string): string | undefined {
  return [isNumber ? 'number' : '', name ?? ''].join(' ').trim() || undefined;
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
