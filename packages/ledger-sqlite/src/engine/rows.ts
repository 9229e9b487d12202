import type { SqliteValue } from './connection.js';

/** How a field of a record is stored: in a column, or in several. */
interface Field<T> {
  readonly columns: readonly string[];
  store(value: T): readonly SqliteValue[];
  /** @param at the index of its first column in the row. */
  load(row: readonly SqliteValue[], at: number): T;
}

/** Rows that hold records. The fields are in the order of the columns. */
export interface Rows<R> {
  /** The names of the columns, separated by commas. */
  readonly columns: string;
  /** A question mark for each column. */
  readonly marks: string;
  valuesOf(record: R): SqliteValue[];
  /** @param first the index of the first column in the row, which may be longer. */
  recordOf(row: readonly SqliteValue[], first?: number): R;
}

export function rowsOf<R extends object>(fields: { readonly [Name in keyof R]: Field<R[Name]> }): Rows<R> {
  const all = Object.entries(fields) as [keyof R, Field<R[keyof R]>][];
  const columns = all.flatMap(([, field]) => field.columns);
  return {
    columns: columns.join(', '),
    marks: columns.map(() => '?').join(', '),
    valuesOf: (record) => all.flatMap(([name, field]) => field.store(record[name])),
    recordOf(row, first = 0) {
      const record: Partial<R> = {};
      let at = first;
      for (const [name, field] of all) {
        record[name] = field.load(row, at);
        at += field.columns.length;
      }
      return record as R;
    },
  };
}

/** A value that SQLite stores as it is: a text, an amount, `null`. */
export function plain<T extends string | bigint | null | undefined>(column: string): Field<T> {
  return { columns: [column], store: (value) => [value ?? null], load: (row, at) => row[at] as T };
}

/** A whole number. */
export function whole<T extends number | null>(column: string): Field<T> {
  return {
    columns: [column],
    store: (value) => [value === null ? null : BigInt(value)],
    load: (row, at) => (row[at] === null ? null : Number(row[at])) as T,
  };
}
