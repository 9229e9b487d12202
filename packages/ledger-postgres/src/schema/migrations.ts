import { CLAIM_TABLES } from './claim-tables.js';
import { HOLD_FUNCTIONS } from './hold-functions.js';
import { KEY_TABLES } from './key-tables.js';
import { MONEY_FUNCTIONS } from './money-functions.js';
import { MONEY_TABLES } from './money-tables.js';

/**
 * Every step of the schema, oldest first; a database is at the version that counts how many it has taken. A step that has been released never
 * changes: what follows is a new step at the end. Statements run with the schema as `search_path`.
 */
export const MIGRATIONS: readonly string[] = [
  MONEY_TABLES + MONEY_FUNCTIONS + HOLD_FUNCTIONS,
  KEY_TABLES,
  CLAIM_TABLES,
];

/** The version of the schema this package works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;
