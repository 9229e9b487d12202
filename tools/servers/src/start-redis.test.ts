import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { startRedis } from './start-redis.js';

const server = await startRedis({ appendfsync: 'always' });

const note = 'reason' in server ? ` (skipped: ${server.reason})` : '';
const notOurs = 'throwAway' in server && !server.throwAway ? ' (skipped: the server given by URL is not ours)' : '';

describe.skipIf(note !== '')(`a throw-away Redis${note}`, () => {
  if ('reason' in server) return;
  afterAll(() => server.stop());

  const ask = async (...[command, ...values]: [string, ...string[]]) => {
    const client = new Redis(server.url, { retryStrategy: () => null }).on('error', () => {});
    try {
      return await client.call(command, ...values);
    } finally {
      client.disconnect();
    }
  };

  test('answers at its address', async () => {
    expect(await ask('PING')).toBe('PONG');
  });

  test.skipIf(notOurs !== '')(`keeps acknowledged writes over a kill and a restart${notOurs}`, async () => {
    await ask('SET', 'kept', 'yes');
    await server.kill();
    await expect(ask('PING')).rejects.toThrow('Connection is closed');
    await server.start();
    expect(await ask('GET', 'kept')).toBe('yes');
    await server.restart();
    expect(await ask('GET', 'kept')).toBe('yes');
  });

  test.skipIf(notOurs !== '')(`ends when the process that started it is killed${notOurs}`, async () => {
    const program = `import { startRedis } from './src/index.ts'; console.log((await startRedis()).url); setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: new URL('..', import.meta.url),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = await once(owner.stdout, 'data');
    const connection = connect(Number(new URL(String(url).trim()).port), '127.0.0.1');
    await once(connection, 'connect');
    // `once` would reject for the reset with which a killed server may close.
    const closed = new Promise((resolve) => connection.on('error', () => {}).once('close', resolve));
    owner.kill('SIGKILL');
    await closed;
  });
});
