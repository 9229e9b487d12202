import { ADMISSION } from './admission.js';
import { ADMISSION_FUNCTIONS } from './admission-functions.js';
import { BATCH_FUNCTIONS } from './batch-functions.js';
import { CLAIM_FUNCTIONS } from './claim-functions.js';
import { CLAIM_TABLES } from './claim-tables.js';
import { EXPIRY_FUNCTIONS } from './expiry-functions.js';
import { HOLD_FUNCTIONS } from './hold-functions.js';
import { KEY_FUNCTIONS } from './key-functions.js';
import { KEY_TABLES } from './key-tables.js';
import { MONEY_FUNCTIONS } from './money-functions.js';
import { MONEY_TABLES } from './money-tables.js';
import { READ_FUNCTIONS } from './read-functions.js';
import { REMOVAL_FUNCTIONS } from './removal-functions.js';
import { USAGE_FUNCTIONS } from './usage-functions.js';
import { USAGE_READING } from './usage-reading.js';
import { USAGE_TABLES } from './usage-tables.js';
import { WRITE_FUNCTIONS } from './write-functions.js';
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

/** What an operation does is decided first, and written for all of a batch together. */
const OUTCOMES = /* sql */ `
ALTER TYPE operation ADD ATTRIBUTE turn int8;
CREATE TYPE outcome AS (
  -- Of the operation, as JSON.
  answer json,
  -- Whether it changes money: then its counters are never forgotten.
  is_counted boolean,
  -- When its usage counts; null where it has none.
  stamp_ms int8,
  -- What is added to the counters.
  credits int8,
  usage int8,
  held int8,
  in_flight int4,
  -- What is used of rates from now on; null where that stays as it is.
  key_rate_used float8,
  organization_rate_used float8,
  -- The hold as it is then, and what is written in the log.
  hold holds,
  entry entries,
  more_entries entries[]
);
DROP FUNCTION IF EXISTS lock_books(operation[]);
DROP FUNCTION IF EXISTS place_hold(operation, int8, int8);
DROP FUNCTION IF EXISTS end_hold(operation, int8);
DROP FUNCTION IF EXISTS write_losses(operation, int8);
DROP FUNCTION IF EXISTS write_expiry(operation, int8, text, int8);
DROP FUNCTION IF EXISTS apply_grant(operation, int8);
DROP FUNCTION IF EXISTS apply_adjustment(operation, int8);
DROP FUNCTION IF EXISTS repeated_entry(operation, text);
DROP FUNCTION IF EXISTS count_usage(operation, int8, int8);
`;

/** A release that comes late ends its hold and books its losses. Only {@link ROUTINES} change. */
const LATE_RELEASES = 'SELECT 1';

/** Batches are read and counted in less time. Only {@link ROUTINES} change. */
const FASTER_BATCHES = 'SELECT 1';

/**
 * Every step of the tables and types, oldest first; a database is at the version that counts how many it has taken. A step that has been
 * released never changes: what follows is a new step at the end, also where only {@link ROUTINES} change. Statements run with the schema as
 * `search_path`. A step drops the functions whose arguments or result the routines change.
 */
export const MIGRATIONS: readonly string[] = [
  MONEY_TABLES,
  KEY_TABLES,
  CLAIM_TABLES,
  SEVERAL_AMOUNTS,
  OPERATIONS,
  ADMISSION,
  OUTCOMES,
  USAGE_TABLES,
  LATE_RELEASES,
  FASTER_BATCHES,
];

/** All functions of the present version, which every migration creates again, in an order in which those in SQL find what they call. `@schema@` and `@version@` stand for the schema's name and version. */
export const ROUTINES: readonly string[] = [
  MONEY_FUNCTIONS,
  ADMISSION_FUNCTIONS,
  BATCH_FUNCTIONS,
  HOLD_FUNCTIONS,
  WRITE_FUNCTIONS,
  EXPIRY_FUNCTIONS,
  USAGE_FUNCTIONS,
  REMOVAL_FUNCTIONS,
  READ_FUNCTIONS,
  USAGE_READING,
  CLAIM_FUNCTIONS,
  KEY_FUNCTIONS,
  WRITE_PROCEDURE,
];

/** The version of the schema this package works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;
