/** A change of what the keys hold or how scripts read them. */
export interface MigrationStep {
  /**
   * Brings the keys of the version before to this one: the body of a Lua function. Redis serves no one else while it runs. It must not fail in the middle,
   * since scripts are not undone.
   */
  readonly step: string;
  /**
   * The oldest version that may still read and write beside this one, and not below that of the step before. So a change is made in two releases: the first
   * adds keys, which the version before leaves alone; the second uses them, and shuts that version out.
   */
  readonly readableFrom: number;
  /** How many keys it creates, which are the next of LEDGER_KEYS. */
  readonly keys: number;
}

/** Keys of budgets. */
const ADD_BUDGETS = `
redis.call('HSET', BUDGETS, '', '')
redis.call('ZADD', IDLE_BUDGETS, '+inf', '')
for _, key in ipairs({ BUDGETS_OF, BUDGET_KEYS }) do redis.call('ZADD', key, '0', '') end
`;

/** Keys of the sums of calls. */
const ADD_SUMS = `
redis.call('HSET', REQUEST_SUMS, '', '')
redis.call('ZADD', REQUEST_SUM_NAMES, '0', '')
`;

/** The key of sums that wait to be merged. */
const ADD_SUM_TEXTS = `
redis.call('RPUSH', REQUEST_SUM_TEXTS, '')
`;

/** Keys of questions and answers. */
const ADD_TEXTS = `
redis.call('HSET', REQUEST_TEXTS, '', '')
redis.call('ZADD', REQUEST_TEXTS_BY_TIME, '+inf', '')
redis.call('ZADD', REQUEST_TEXTS_BY_ORGANIZATION, '0', '')
`;

/** The first makes version 2. Version 1 knew no other version beside its own. */
export const STEPS: readonly MigrationStep[] = [
  { step: '', readableFrom: 2, keys: 0 },
  { step: ADD_BUDGETS, readableFrom: 2, keys: 4 },
  // Budgets are enforced: version 2 knows none.
  { step: '', readableFrom: 3, keys: 0 },
  // Version 4 keeps the domains of records, and passes over what entries and calls have more.
  { step: '', readableFrom: 4, keys: 0 },
  // Version 5 adds up none of its calls.
  { step: ADD_SUMS, readableFrom: 5, keys: 2 },
  // Version 6 adds its calls to the sums itself, and removes no texts with them: they go in time.
  { step: ADD_SUM_TEXTS + ADD_TEXTS, readableFrom: 6, keys: 4 },
];

/** The version of this package: counts up with every step. */
export const SCHEMA_VERSION = STEPS.length + 1;

/** The oldest version that may use the keys of {@link SCHEMA_VERSION}. */
export const READABLE_FROM = STEPS.at(-1)?.readableFrom ?? SCHEMA_VERSION;
