import type { SqliteValue } from '../engine/connection.js';

/** A part of a WHERE, with the values of its marks. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

export function all(conditions: readonly Condition[]): Condition {
  return {
    sql: ['TRUE', ...conditions.map(({ sql }) => sql)].join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** @param comparisons such as `model =`, each with its value; `undefined` for none. */
export function compared(comparisons: Readonly<Record<string, SqliteValue | undefined>>): readonly Condition[] {
  return Object.entries(comparisons).flatMap(([comparison, value]) =>
    value === undefined ? [] : [{ sql: `${comparison} ?`, values: [value] }],
  );
}

export function ofOrganizations(ids: readonly string[] | undefined): readonly Condition[] {
  return ids === undefined ? [] : [{ sql: `organization_id IN (${ids.map(() => '?').join(', ')})`, values: ids }];
}
