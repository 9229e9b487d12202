import { describe, expect, it } from 'vitest';
import { evaluateBy, isRedisClient, type RedisClient } from './redis-client.js';

const CALL = { keys: ['{a}:meta', '{a}:log'], values: ['x', 'y'] } as const;
const WORDS = ['EVALSHA', 'hash', '2', '{a}:meta', '{a}:log', 'x', 'y'];

/** What a client of these methods is asked. */
async function askedOf(methods: readonly string[]) {
  const asked: unknown[][] = [];
  const client: Record<string, unknown> = {};
  for (const name of methods) client[name] = (...values: unknown[]) => asked.push([name, ...values]);
  await evaluateBy(client as unknown as RedisClient)('EVALSHA', 'hash', CALL);
  return asked;
}

describe('a script is evaluated by', () => {
  it('call of ioredis, which has a sendCommand too', async () => {
    expect(await askedOf(['call', 'sendCommand'])).toEqual([['call', ...WORDS]]);
  });

  it('sendCommand of node-redis', async () => {
    expect(await askedOf(['sendCommand'])).toEqual([['sendCommand', WORDS]]);
  });

  it('sendCommand of its cluster, at the node of the keys, and not at a replica', async () => {
    expect(await askedOf(['masters', 'sendCommand'])).toEqual([['sendCommand', '{a}:meta', false, WORDS]]);
  });
});

it.each([
  [{ call: () => 0 }, true],
  [{ sendCommand: () => 0 }, true],
  [{ call: 'x' }, false],
  [{}, false],
  [null, false],
  [undefined, false],
])('takes %o for a client: %s', (value, isOne) => {
  expect(isRedisClient(value)).toBe(isOne);
});
