import { describe, expect, it } from 'vitest';
import type { Database } from '../engine/database.js';
import { migrate } from './migrate.js';

interface Found {
  /** What each look for a table or a schema finds, in turn; then nothing. */
  readonly isThere?: boolean[];
  /** The version at each look, in turn; then the last one. */
  readonly versions?: (number | undefined)[];
  /** Which version that one says may still write. */
  readonly readableFrom?: number;
}

type Row = Record<string, unknown>;

/** A database that finds these, and the statements of each of its transactions. */
function databaseThat({ isThere = [], versions = [], readableFrom = 1 }: Found) {
  const transactions: string[][] = [];
  const stateAt = (version: number | undefined) =>
    version === undefined ? [] : [{ version: `${version}`, readable: `${readableFrom}` }];
  const answers: [RegExp, () => Row[]][] = [
    [/pg_namespace/, () => (isThere.shift() === true ? [{}] : [])],
    [/pg_views/, () => (versions[0] === undefined ? [] : [{ viewname: `version_${versions[0]}` }])],
    [/aclexplode/, () => [{ privilege: 'SELECT', role: 'service' }]],
    [/schema_version v/, () => stateAt(versions.length > 1 ? versions.shift() : versions[0])],
  ];
  const transaction = async (begin: string, work: (run: (sql: string) => Promise<Row[]>) => Promise<unknown>) => {
    const statements = [begin];
    transactions.push(statements);
    return work(async (sql) => {
      statements.push(sql.trim().replace(/\s+/g, ' '));
      return answers.find(([pattern]) => pattern.test(sql))?.[1]() ?? [];
    });
  };
  return { database: { schema: 's', transaction } as unknown as Database, transactions };
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const STEPS = [
  { step: 'CREATE one', readableFrom: 1 },
  { step: 'CREATE two', readableFrom: 1 },
];
const AFTER_AN_OUTAGE = [...STEPS.slice(0, 1), { step: 'CREATE two', readableFrom: 2 }];

/** The statements that change something, without the routines. */
const changesOf = (statements: readonly string[] = []) =>
  statements.filter((sql) => /^(?:LOCK|SET|CREATE (?:one|two|SCHEMA|TABLE|VIEW)|GRANT|DROP VIEW|INSERT)/.test(sql));

describe('migrate', () => {
  it('only reads where nothing is left to do', async () => {
    const { database, transactions } = databaseThat({ isThere: [true], versions: [2] });
    await migrate(database, STEPS);
    expect(transactions).toEqual([
      [BEGIN, ...['pg_namespace', 'readable_from'].map((text) => expect.stringContaining(text) as string)],
    ]);
  });

  it('only reads where a newer package has migrated a schema that this one may still use', async () => {
    const { database, transactions } = databaseThat({ isThere: [true], versions: [4], readableFrom: 2 });
    await migrate(database, STEPS);
    expect(transactions[0]).toHaveLength(3);
  });

  it('takes no step where another process has taken all while it waited', async () => {
    const { database, transactions } = databaseThat({ isThere: [true, true], versions: [1, 2] });
    await migrate(database, STEPS);
    expect(transactions[0]).toContainEqual(expect.stringContaining('pg_advisory_xact_lock'));
    expect(changesOf(transactions[0])).toEqual([]);
  });

  it('waits for calls under way before it takes the steps that are left', async () => {
    const { database, transactions } = databaseThat({ isThere: [true, true], versions: [1] });
    await migrate(database, STEPS);
    expect(changesOf(transactions[0])).toEqual([
      'LOCK TABLE s.version_1 IN ACCESS EXCLUSIVE MODE',
      'SET LOCAL search_path TO s, pg_temp',
      'CREATE two',
      'CREATE VIEW version_2 AS SELECT 2 AS version',
      'GRANT SELECT ON version_2 TO service',
      'INSERT INTO schema_version (version, readable_from) VALUES ($1, $2)',
    ]);
  });

  it('takes their view from versions that may write no longer', async () => {
    const { database, transactions } = databaseThat({ isThere: [true, true], versions: [1] });
    await migrate(database, AFTER_AN_OUTAGE);
    expect(changesOf(transactions[0]).slice(-3)).toEqual([
      'GRANT SELECT ON version_2 TO service',
      'DROP VIEW version_1',
      'INSERT INTO schema_version (version, readable_from) VALUES ($1, $2)',
    ]);
  });

  it.each([
    ['makes a schema where there is none', false],
    ['asks for no right to make one where there is one', true],
  ])('%s', async (_, isMade) => {
    const { database, transactions } = databaseThat({ isThere: [false, false, isMade] });
    await migrate(database, STEPS);
    expect(changesOf(transactions[0])).toEqual([
      ...(isMade ? [] : ['CREATE SCHEMA s']),
      expect.stringContaining('CREATE TABLE IF NOT EXISTS s.schema_version'),
      'SET LOCAL search_path TO s, pg_temp',
      'CREATE one',
      'CREATE two',
      ...[2, 1].flatMap((n) => [
        `CREATE VIEW version_${n} AS SELECT ${n} AS version`,
        `GRANT SELECT ON version_${n} TO service`,
      ]),
      'INSERT INTO schema_version (version, readable_from) VALUES ($1, $2)',
    ]);
  });

  it('refuses a schema that needs a newer package, and takes no lock', async () => {
    const { database, transactions } = databaseThat({ isThere: [true], versions: [3], readableFrom: 3 });
    await expect(migrate(database, STEPS)).rejects.toMatchObject({ reason: 'schema_mismatch' });
    expect(transactions[0]).toHaveLength(3);
  });
});
