import { LedgerError } from '@searchgate/core/ledger';

/** What a schema says of itself. */
export interface SchemaState {
  /** How many steps it has taken; 0 for none. */
  readonly version: number;
  /** The oldest version of the package that may read and write beside the newest. */
  readonly readableFrom: number;
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
