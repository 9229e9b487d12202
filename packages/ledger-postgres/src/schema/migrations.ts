import { ADMISSION_FUNCTIONS } from './admission-functions.js';
import { BATCH_FUNCTIONS } from './batch-functions.js';
import { CLAIM_FUNCTIONS } from './claim-functions.js';
import { EXPIRY_FUNCTIONS } from './expiry-functions.js';
import { HOLD_FUNCTIONS } from './hold-functions.js';
import { KEY_FUNCTIONS } from './key-functions.js';
import { MONEY_FUNCTIONS } from './money-functions.js';
import { READ_FUNCTIONS } from './read-functions.js';
import { REMOVAL_FUNCTIONS } from './removal-functions.js';
import { TABLES } from './tables.js';
import { USAGE_FUNCTIONS } from './usage-functions.js';
import { USAGE_READING } from './usage-reading.js';
import { WRITE_FUNCTIONS } from './write-functions.js';
import { WRITE_PROCEDURE } from './write-procedure.js';

/**
 * Every step of the tables and types, oldest first; a database is at the version that counts how many it has taken. A step that has been
 * released never changes: what follows is a new step at the end, also where only {@link ROUTINES} change. Statements run with the schema as
 * `search_path`. A step drops the functions whose arguments or result the routines change.
 */
export const MIGRATIONS: readonly string[] = [TABLES];

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
