import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Script } from '../lua/opening.js';
import type { Evaluate } from './redis-client.js';
import { createScripts, EVICTION, type ScriptsOptions } from './scripts.js';

const SCRIPT: Script = { keys: ['meta', 'log'], source: 'return 1' };
const OF_MANY: Script = { keys: ['meta'], source: 'return 2', takesMany: true };
const hashOf = ({ source }: Script) => createHash('sha1').update(source).digest('hex');

type Asked = Parameters<Evaluate>;

/** Scripts on a server that gives these replies in turn, the last one again and again; an error is thrown. */
function scriptsOn(replies: unknown[], options: Partial<ScriptsOptions> = {}) {
  const asked: Asked[] = [];
  const evaluate: Evaluate = async (...call) => {
    asked.push(call);
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const clock = { now: () => 7, monotonic: () => 7, schedule: () => ({ cancel: () => undefined }) };
  return { asked, ...createScripts({ evaluate, prefix: 'p', allowEviction: true, clock: clock as never, ...options }) };
}

const EVICTS_NOTHING = ['0', 'noeviction'];

describe('a script', () => {
  it('is run by its hash, with its keys, the attempt, the time and its values', async () => {
    const { run, asked } = scriptsOn([['done']]);
    expect(await run(SCRIPT, ['a'])).toEqual(['done']);
    const values = [expect.stringMatching(/^[\w-]{13,}$/), '7', 'given', 'a'] as string[];
    expect(asked).toEqual([['EVALSHA', hashOf(SCRIPT), { keys: ['{p}:meta', '{p}:log'], values }]]);
  });

  it('of a claim is given its key behind its own', async () => {
    const { run, asked } = scriptsOn([['done']]);
    await run(SCRIPT, [], 'key-1 order');
    expect(asked[0]?.[2].keys).toEqual(['{p}:meta', '{p}:log', '{p}:claim:key-1 order']);
  });

  it('of many is given no attempt of its own, but one for each operation', async () => {
    const { run, asked } = scriptsOn([[['first'], ['second']]]);
    expect(await Promise.all([run(OF_MANY, ['a']), run(OF_MANY, ['b', 'c'])])).toEqual([['first'], ['second']]);
    const token = expect.stringMatching(/^[\w-]{13,}$/) as string;
    expect(asked.map(([, , { values }]) => values)).toEqual([
      ['', '7', 'given', token, '1', 'a', token, '2', 'b', 'c'],
    ]);
  });

  it('gets to know that the clock of the server rules where none is given', async () => {
    const { run, asked } = scriptsOn([['done']], { clock: undefined });
    const before = Date.now();
    await run(SCRIPT, []);
    const [, nowMs, clock] = asked[0]?.[2].values ?? [];
    expect(clock).toBe('server');
    expect(Number(nowMs)).toBeGreaterThanOrEqual(before);
  });

  it('has another attempt each time, counted up', async () => {
    const { run, asked } = scriptsOn([['done']]);
    for (let count = 0; count < 40; count += 1) await run(SCRIPT, []);
    const tokens = asked.map(([, , { values }]) => values[0] ?? '');
    expect(new Set(tokens).size).toBe(40);
    expect(tokens.map((token) => token.slice(12))).toEqual(tokens.map((_, index) => (index + 1).toString(36)));
  });

  it('is hashed once for all runs', async () => {
    let reads = 0;
    const counted: Script = {
      keys: ['meta'],
      get source() {
        reads += 1;
        return 'return 3';
      },
    };
    const { run } = scriptsOn([['done']]);
    await run(counted, []);
    await run(counted, []);
    expect(reads).toBe(1);
  });

  it('is sent whole where the server does not know its hash', async () => {
    const { run, asked } = scriptsOn([new Error('NOSCRIPT No matching script.'), ['done']]);
    expect(await run(SCRIPT, ['a'])).toEqual(['done']);
    expect(asked.map(([command, text]) => [command, text])).toEqual([
      ['EVALSHA', hashOf(SCRIPT)],
      ['EVAL', SCRIPT.source],
    ]);
    expect(asked[1]?.[2]).toEqual(asked[0]?.[2]);
  });

  it('is not sent whole for another error, and not tried again where that stays', async () => {
    const { run, asked } = scriptsOn([new Error('ERR wrong number of arguments'), ['done']]);
    await expect(run(SCRIPT, [])).rejects.toThrow('ERR wrong');
    expect(asked).toHaveLength(1);
  });

  it('is tried again as the same attempt where the connection was lost', async () => {
    const { run, asked } = scriptsOn([new Error('Connection is closed.'), ['done']]);
    expect(await run(SCRIPT, ['a'])).toEqual(['done']);
    expect(asked[1]).toEqual(asked[0]);
    expect(asked).toHaveLength(2);
  });

  it('rejects with its refusal', async () => {
    const { run } = scriptsOn([['refused by', 'unknown_hold', 'no hold x']]);
    await expect(run(SCRIPT, [])).rejects.toMatchObject({ reason: 'unknown_hold', message: 'no hold x' });
    await expect(scriptsOn([['refused by', 'unknown_hold']]).run(SCRIPT, [])).rejects.toMatchObject({ message: '' });
  });
});

describe('before the first script', () => {
  it('the server is asked once whether it throws keys away', async () => {
    const { run, asked } = scriptsOn([EVICTS_NOTHING, ['done']], { allowEviction: false });
    await run(SCRIPT, []);
    await run(SCRIPT, []);
    expect(asked.map(([, hash]) => hash)).toEqual([EVICTION, SCRIPT, SCRIPT].map(hashOf));
    expect(asked[0]?.[2]).toMatchObject({ keys: ['{p}:meta'], values: { length: 3 } });
  });

  it('and again as long as it does', async () => {
    const { run, asked } = scriptsOn([['9', 'allkeys-lru'], EVICTS_NOTHING, ['done']], { allowEviction: false });
    await expect(run(SCRIPT, [])).rejects.toThrow('allkeys-lru');
    expect(asked).toHaveLength(1);
    expect(await run(SCRIPT, [])).toEqual(['done']);
  });
});
