/** One column of a table for people. */
export interface Column<T> {
  readonly title: string;
  of(row: T): string;
  /** `right` for amounts and counts. Default: left. */
  readonly align?: 'right';
}

const GAP = '  ';

/** Aligns rows under their titles. Control characters in the values are replaced, since they could rewrite the screen. */
export function table<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ of }) => printable(of(row))))];
  const widths = columns.map((_, index) => longest(cells.map((line) => line[index] ?? '')));
  return cells
    .map((line) =>
      line
        .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** The fields of one row, a line each. */
export function fieldList<T>(columns: readonly Pick<Column<T>, 'title' | 'of'>[], row: T): string {
  const width = longest(columns.map(({ title }) => title));
  return columns.map(({ title, of }) => `  ${title.padEnd(width)}${GAP}${printable(of(row))}`).join('\n');
}

/** Replaces control characters, line ends and changes of text direction with question marks. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
}

/** A loop, since spread arguments are limited in number. */
function longest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

function pad(cell: string, width: number, align: 'right' | undefined): string {
  return align === 'right' ? cell.padStart(width) : cell.padEnd(width);
}
