import type { Connection, SqliteValue } from './connection.js';

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

/** How each field is stored, in the order of the columns. */
export type Fields<R> = { readonly [Name in keyof R]-?: Field<R[Name]> };

export function rowsOf<R extends object>(fields: Fields<R>): Rows<R> {
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

/** Records of a table by an id that is not part of them. An id of several columns is their texts, without spaces, joined by spaces. */
export interface RecordsById<R> {
  read(connection: Connection, id: string): R | undefined;
  /** Writes the columns of the record alone. */
  write(connection: Connection, id: string, record: R): void;
  /** The next records in the order of their ids. */
  after(connection: Connection, id: string, limit: number): [id: string, record: R][];
}

export function recordsById<R extends object>(table: string, fields: Fields<R>, idColumns = ['id']): RecordsById<R> {
  const { columns, marks, valuesOf, recordOf } = rowsOf<R>(fields);
  const key = idColumns.join(', ');
  const keyMarks = idColumns.map(() => '?').join(', ');
  const read = `SELECT ${columns} FROM ${table} WHERE (${key}) = (${keyMarks})`;
  const slice = `SELECT ${idColumns.join(" || ' ' || ")}, ${columns} FROM ${table}
    WHERE (${key}) > (${keyMarks}) ORDER BY ${key} LIMIT ?`;
  const changes = columns.replaceAll(/\w+/g, (column) => `excluded.${column}`);
  const write = `INSERT INTO ${table} (${key}, ${columns}) VALUES (${keyMarks}, ${marks})
    ON CONFLICT (${key}) DO UPDATE SET (${columns}) = (${changes})`;
  // An empty id is before all others.
  const partsOf = (id: string) => (idColumns.length === 1 ? [id] : (id || ' ').split(' '));
  return {
    read(connection, id) {
      const row = connection.tuples(read).get(...partsOf(id));
      return row && recordOf(row);
    },
    write(connection, id, record) {
      connection.statement(write).run(...partsOf(id), ...valuesOf(record));
    },
    after: (connection, last, limit) =>
      connection
        .tuples(slice)
        .all(...partsOf(last), BigInt(limit))
        .map((row) => [row[0] as string, recordOf(row, 1)]),
  };
}

/** A value that SQLite stores as it is: a text, an amount, `null`. */
export function plain<T extends string | bigint | null | undefined>(column: string): Field<T> {
  return { columns: [column], store: (value) => [value ?? null], load: (row, at) => row[at] as T };
}

/** Ids in one text, joined by spaces; NULL for none. @param none what is read for none. */
export function ids<T extends readonly string[] | null | undefined>(column: string, none: T): Field<T> {
  return {
    columns: [column],
    store: (value) => [value?.join(' ') || null],
    load: (row, at) => (row[at] === null ? none : ((row[at] as string).split(' ') as unknown as T)),
  };
}

/** Any value but `undefined`, as JSON; NULL for `null`. */
export function json<T>(column: string): Field<T> {
  return {
    columns: [column],
    store: (value) => [value == null ? null : JSON.stringify(value)],
    load: (row, at) => (row[at] === null ? null : JSON.parse(row[at] as string)) as T,
  };
}

/** A yes or no. */
export function flag<T extends boolean | undefined>(column: string): Field<T> {
  return { columns: [column], store: (value) => [value === true ? 1n : 0n], load: (row, at) => (row[at] === 1n) as T };
}

/** A whole number. */
export function whole<T extends number | null | undefined>(column: string): Field<T> {
  return {
    columns: [column],
    store: (value) => [value == null ? null : BigInt(value)],
    load: (row, at) => (row[at] === null ? null : Number(row[at])) as T,
  };
}
