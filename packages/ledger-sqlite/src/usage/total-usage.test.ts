import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Handle } from '../../test/drivers.js';
import { grantOf } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { createConnection } from '../engine/connection.js';
import { usageBySums } from './total-usage.js';

/** The grant is in a series of its own. */
const OF_KEY = "WHERE key_id = 'key-1'";

let storage: Storage;
let database: Handle;
beforeEach(async () => {
  storage = createStorage();
  const ledger = await storage.connect();
  await ledger.grant(grantOf());
  await ledger.adjust({ adjustmentId: 'a', organizationId: 'acme', keyId: 'key-1', amount: 5n, note: '' });
  database = storage.open();
});
afterEach(() => storage.dispose());

it.each([
  ['both agree', 'SELECT 1', 5n],
  ['its series differ', `UPDATE searchgate_usage SET adjusted = 7 ${OF_KEY}`, 7n],
  ['its days differ', 'UPDATE searchgate_usage_by_day SET adjusted = -8', -8n],
  [
    'both differ',
    `UPDATE searchgate_usage SET adjusted = 7 ${OF_KEY}; UPDATE searchgate_usage_by_day SET adjusted = 8`,
    7n,
  ],
])('gives of an organization the sum that differs from its usage: %s', (_which, sql, expected) => {
  database.exec(sql);
  expect(usageBySums(createConnection(database), { subject: 'organization', id: 'acme' }, 5n)).toBe(expected);
});

it('gives of a key the sum of its series', () => {
  database.exec('UPDATE searchgate_usage SET charged = 2');
  expect(usageBySums(createConnection(database), { subject: 'key', id: 'key-1' }, 5n)).toBe(7n);
});
