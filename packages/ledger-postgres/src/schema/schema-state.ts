import { LedgerError } from '@searchgate/core/ledger';

/** What a schema says of itself. */
export interface SchemaState {
  /** How many steps it has taken; 0 for none. */
  readonly version: number;
  /** The oldest version of the package that may read and write beside the newest. */
  readonly readableFrom: number;
}

export const NO_SCHEMA: SchemaState = { version: 0, readableFrom: 0 };

/** Reads the state of a schema; one of version 1 does not say from where it is readable. */
export function latestState(schema: string): string {
  return `SELECT version, coalesce(to_json(v) ->> 'readable_from', version::text) AS readable FROM ${schema}.schema_version v ORDER BY version DESC LIMIT 1`;
}

/** @param row what {@link latestState} gives. */
export function stateOfRow(row: Record<string, unknown> | undefined): SchemaState {
  return row === undefined ? NO_SCHEMA : { version: Number(row['version']), readableFrom: Number(row['readable']) };
}

/** @param known the version of the package. @param found what it looked for in vain. */
export function schemaMismatch(state: SchemaState, known: number, found = ''): LedgerError {
  return new LedgerError(
    'schema_mismatch',
    isTooNew(state, known)
      ? `the schema is at version ${state.version}, which packages from version ${state.readableFrom} on can use, and this one knows version ${known}: install that package again, or a newer one`
      : `expected version ${known} of this package's schema${found && ` (${found})`}: run migrate()`,
  );
}

/** Whether a schema has left a package of this version behind. */
export function isTooNew({ readableFrom }: SchemaState, known: number): boolean {
  return known < readableFrom;
}
