import { CLAIM_FUNCTIONS } from './claim-functions.js';
import { CLAIM_TABLES } from './claim-tables.js';
import { EXPIRY_FUNCTIONS } from './expiry-functions.js';
import { HOLD_FUNCTIONS } from './hold-functions.js';
import { KEY_FUNCTIONS } from './key-functions.js';
import { KEY_TABLES } from './key-tables.js';
import { MONEY_FUNCTIONS } from './money-functions.js';
import { MONEY_TABLES } from './money-tables.js';
import { READ_FUNCTIONS } from './read-functions.js';
import { WRITE_PROCEDURE } from './write-procedure.js';

/** Holds of several amounts. */
const SEVERAL_AMOUNTS = /* sql */ `
ALTER TYPE verb ADD ATTRIBUTE smaller_amounts int8[];
DROP FUNCTION IF EXISTS fits_int8(numeric);
`;

/** One word for what a call asks for. Functions whose arguments have new names cannot be replaced. */
const OPERATIONS = /* sql */ `
ALTER TYPE verb RENAME TO operation;
ALTER TYPE operation RENAME ATTRIBUTE verb TO operation;
DROP FUNCTION IF EXISTS apply_verbs(json, int8, int8);
DROP FUNCTION IF EXISTS apply_claims(json, int8, int8);
DROP FUNCTION IF EXISTS read_batch(json);
`;

/**
 * Every step of the tables and types, oldest first; a database is at the version that counts how many it has taken. A step that has been
 * released never changes: what follows is a new step at the end, also where only {@link ROUTINES} change. Statements run with the schema as
 * `search_path`. A step drops the functions whose arguments or result the routines change.
 */
export const MIGRATIONS: readonly string[] = [MONEY_TABLES, KEY_TABLES, CLAIM_TABLES, SEVERAL_AMOUNTS, OPERATIONS];

/** All functions of the present version, which every migration creates again. `@schema@` and `@version@` stand for the schema's name and version. */
export const ROUTINES: readonly string[] = [
  MONEY_FUNCTIONS,
  HOLD_FUNCTIONS,
  EXPIRY_FUNCTIONS,
  READ_FUNCTIONS,
  CLAIM_FUNCTIONS,
  KEY_FUNCTIONS,
  WRITE_PROCEDURE,
];

/** The version of the schema this package works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;
