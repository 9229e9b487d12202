import { ConfigurationError } from '@searchgate/core/ledger';
import { expect, it } from 'vitest';
import { type PostgresLedgerOptions, postgresLedger } from './index.js';

const pool = { connect: () => Promise.reject(new Error('was called')) };

it.each<[string, unknown]>([
  ['postgresLedger: found nothing', undefined],
  ['postgresLedger.pool: found nothing', {}],
  ['postgresLedger.pool: found null', { pool: null }],
  ['postgresLedger.pool: found an object', { pool: {} }],
  ['postgresLedger.pool: found "postgres://localhost"', { pool: 'postgres://localhost' }],
  ['postgresLedger.schema: found "Upper"', { pool, schema: 'Upper' }],
  ['postgresLedger.schema: found "1st"', { pool, schema: '1st' }],
  ['postgresLedger.schema: found "a\\"; DROP TABLE', { pool, schema: 'a"; DROP TABLE entries; --' }],
  ['postgresLedger.schema: found "x', { pool, schema: 'x'.repeat(49) }],
  ['postgresLedger.batchers: found 0', { pool, batchers: 0 }],
  ['postgresLedger.batchers: found 65', { pool, batchers: 65 }],
  ['postgresLedger.endedHoldRetentionMs: found -1', { pool, endedHoldRetentionMs: -1 }],
  ['postgresLedger.endedHoldRetentionMs: found 0.5', { pool, endedHoldRetentionMs: 0.5 }],
  ['postgresLedger.prepareStatements: found "no"', { pool, prepareStatements: 'no' }],
  ['postgresLedger.clock: found a function', { pool, clock: Date }],
  ['postgresLedger.batcher: found an unknown option', { pool, batcher: 4 }],
])('refuses wrong options: %s', (message, options) => {
  expect(() => postgresLedger(options as PostgresLedgerOptions)).toThrow(ConfigurationError);
  expect(() => postgresLedger(options as PostgresLedgerOptions)).toThrow(message);
});

it('takes no connection before it is asked to', () => {
  postgresLedger({ pool });
});
