/** One column of a table for people. */
export interface Column<T> {
  readonly title: string;
  of(row: T): string;
  /** Amounts and counts stand at the right. Default: at the left. */
  readonly align?: 'right';
}

const GAP = '  ';

/** Lines up rows under their titles. What came from outside is shown without control characters, which could rewrite the screen. */
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

/** The fields of one thing, a line each. */
export function fieldList<T>(columns: readonly Pick<Column<T>, 'title' | 'of'>[], row: T): string {
  const width = longest(columns.map(({ title }) => title));
  return columns.map(({ title, of }) => `  ${title.padEnd(width)}${GAP}${printable(of(row))}`).join('\n');
}

/** Shows control characters and line ends, and what turns the direction of a line, as a question mark. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
}

/** There may be more texts than a call has room for arguments. */
function longest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

function pad(cell: string, width: number, align: 'right' | undefined): string {
  return align === 'right' ? cell.padStart(width) : cell.padEnd(width);
}
