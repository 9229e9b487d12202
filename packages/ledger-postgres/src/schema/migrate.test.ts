import { describe, expect, it } from 'vitest';
import type { Database } from '../engine/database.js';
import { migrate } from './migrate.js';

interface Found {
  /** What each look for a table or a schema finds, in turn; then nothing. */
  readonly isThere?: boolean[];
  /** The version at each look, in turn; then the last one. */
  readonly versions?: (number | undefined)[];
}

type Row = Record<string, unknown>;

/** A database that finds these, and the statements of each of its transactions. */
function databaseThat({ isThere = [], versions = [] }: Found) {
  const transactions: string[][] = [];
  const answers: [RegExp, () => Row[]][] = [
    [/pg_namespace/, () => (isThere.shift() === true ? [{}] : [])],
    [/max\(version\)/, () => [{ version: `${(versions.length > 1 ? versions.shift() : versions[0]) ?? ''}` }]],
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
const STEPS = ['CREATE one', 'CREATE two'];

/** The statements that change something, without the routines. */
const changesOf = (statements: readonly string[] = []) =>
  statements.filter((sql) =>
    /^(?:LOCK|SET|CREATE (?:one|two|SCHEMA|TABLE|OR REPLACE VIEW)|ALTER VIEW|INSERT)/.test(sql),
  );

describe('migrate', () => {
  it('only reads where nothing is left to do', async () => {
    const { database, transactions } = databaseThat({ isThere: [true], versions: [2] });
    await migrate(database, STEPS);
    expect(transactions).toEqual([
      [BEGIN, expect.stringContaining('pg_namespace'), expect.stringContaining('max(version)')],
    ]);
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
      'ALTER VIEW version_1 RENAME TO version_2',
      'CREATE OR REPLACE VIEW version_2 AS SELECT 2 AS version',
      'INSERT INTO schema_version (version) VALUES ($1)',
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
      'CREATE OR REPLACE VIEW version_2 AS SELECT 2 AS version',
      'INSERT INTO schema_version (version) VALUES ($1)',
    ]);
  });

  it('refuses a schema that has taken more steps than are known', async () => {
    const { database, transactions } = databaseThat({ isThere: [true, true], versions: [3] });
    await expect(migrate(database, STEPS)).rejects.toMatchObject({ reason: 'schema_mismatch' });
    expect(changesOf(transactions[0])).toEqual([]);
  });
});
