/** Names of columns, since to make them took half of the time of a record. Only fields of our own types come here. */
const columns = new Map<string, string>();

/** `at_ms` of `atMs`. */
export function columnOf(field: string): string {
  let column = columns.get(field);
  if (column === undefined) {
    column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columns.set(field, column);
  }
  return column;
}

/** A record by the names of its columns. */
export function columnsOf(record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [columnOf(field), value]));
}
