import { ConfigurationError } from '@searchgate/core/ledger';
import { expect, it } from 'vitest';
import { checkEviction } from './check-eviction.js';

it.each([
  ['0', 'allkeys-lru'],
  ['0', ''],
  ['1024', 'noeviction'],
])('lets a server be used whose memory is %j with the policy %j', (...reply) => {
  expect(() => checkEviction(reply)).not.toThrow();
});

it.each([
  [['1024', 'volatile-ttl'], 'volatile-ttl'],
  [['', 'noeviction'], 'a server that does not say whether it evicts keys (noeviction)'],
  [['', 'NOPERM'], 'a server that does not say whether it evicts keys (NOPERM)'],
  [[], 'a server that does not say whether it evicts keys ()'],
  [['1024'], ''],
])('refuses a server that says %j', (reply, found) => {
  const problem = expect.objectContaining({ path: 'redisLedger.client', found }) as unknown;
  expect(() => checkEviction(reply)).toThrow(ConfigurationError);
  expect(() => checkEviction(reply)).toThrow(expect.objectContaining({ problems: [problem] }));
});
