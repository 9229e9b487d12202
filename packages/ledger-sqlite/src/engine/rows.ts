import type { SqliteValue } from './connection.js';

/** How a field of a record is stored: in a column, or in several. */
interface Field<T> {
  readonly columns: readonly string[];
  store(value: T): readonly SqliteValue[];
  load(...values: SqliteValue[]): T;
}

/** Rows that hold records. The fields are in the order of the columns. */
export interface Rows<R> {
  /** The names of the columns, separated by commas. */
  readonly columns: string;
  /** A question mark for each column. */
  readonly marks: string;
  valuesOf(record: R): SqliteValue[];
  /** @param row may be longer. */
  recordOf(row: readonly SqliteValue[]): R;
}

export function rowsOf<R extends object>(fields: { readonly [Name in keyof R]: Field<R[Name]> }): Rows<R> {
  const all = Object.entries(fields) as [keyof R, Field<R[keyof R]>][];
  const columns = all.flatMap(([, field]) => field.columns);
  return {
    columns: columns.join(', '),
    marks: columns.map(() => '?').join(', '),
    valuesOf: (record) => all.flatMap(([name, field]) => field.store(record[name])),
    recordOf(row) {
      const record: Partial<R> = {};
      let at = 0;
      for (const [name, field] of all) {
        record[name] = field.load(...row.slice(at, at + field.columns.length));
        at += field.columns.length;
      }
      return record as R;
    },
  };
}

/** A value that SQLite stores as it is: a text, an amount, `null`. */
export function plain<T extends string | bigint | null>(column: string): Field<T> {
  return { columns: [column], store: (value) => [value], load: (value) => value as T };
}

/** A whole number. */
export function whole<T extends number | null>(column: string): Field<T> {
  return {
    columns: [column],
    store: (value) => [value === null ? null : BigInt(value)],
    load: (value) => (value === null ? null : Number(value)) as T,
  };
}

/** A value that may be left out, which is stored as `null`. */
export function optional<T extends string | bigint>(column: string): Field<T | null | undefined> {
  return { columns: [column], store: (value) => [value ?? null], load: (value) => value as T | null };
}
