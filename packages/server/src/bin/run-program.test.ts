import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { isPassword } from '../login/password.js';
import { runProgram } from './run-program.js';

function run(...argv: string[]) {
  return runWith('', argv);
}

function runIn(environment: Record<string, string>, ...argv: string[]) {
  return runWith('', argv, environment);
}

async function runWith(
  input: string | readonly Buffer[],
  argv: readonly string[],
  environment: Record<string, string> = {},
) {
  const printed = { stdout: '', stderr: '' };
  const code = await runProgram(argv, environment, {
    stdin: Readable.from(typeof input === 'string' ? [input] : input),
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: { write: (text) => (printed.stderr += text) },
  });
  return { code, ...printed };
}

it('prints its commands and its version', async () => {
  expect(await run('--help')).toEqual({ code: 0, stdout: expect.stringContaining('searchgate admin'), stderr: '' });
  expect((await run('help')).stdout).toBe((await run('-h')).stdout);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

it.each(['start', 'check', 'password-hash', 'management-token', 'schema'])(
  'prints help of %s, and does nothing',
  async (command) => {
    for (const argv of [['--help'], ['-h'], ['--config', 'none.json', '--help']]) {
      const { code, stdout, stderr } = await run(command, ...argv);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^Usage: searchgate \\[?${command}\\b`));
    }
  },
);

it('tells what a management token may do, and where its hash goes', async () => {
  const { stdout } = await run('management-token', '--help');
  for (const word of ['managementTokens', 'SEARCHGATE_CONFIG', 'SIGHUP', 'Authorization: Bearer', 'viewer', 'tenant'])
    expect(stdout).toContain(word);
  expect(stdout).not.toContain('sgm_');
});

it.each(['password-hash', 'management-token', 'schema'])(
  'refuses arguments of %s, and repeats none',
  async (command) => {
    const stderr = `searchgate: ${command} takes no arguments\nsearchgate ${command} --help says more.\n`;
    expect(await runWith('hunter2', [command, 'hunter3'])).toEqual({ code: 2, stdout: '', stderr });
  },
);

it('refuses commands and arguments that do not exist, and starts nothing', async () => {
  const hint = 'searchgate --help says more.\n';
  expect((await run('constructor', '--help')).code).toBe(2);
  expect(await run('serve')).toEqual({ code: 2, stdout: '', stderr: `searchgate: there is no command serve\n${hint}` });
  for (const args of [
    ['start', '--host', '::'],
    ['check', '--port', '1'],
    ['check', 'file.json'],
  ]) {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^searchgate: (start|check): .+\nsearchgate --help says more\.\n$/);
  }
});

describe('check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-check-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'searchgate.json');
  const acme = { id: 'acme', credits: '5.00' };
  const key = { secret: 'a-secret-of-twenty-characters', label: 'key', organizationId: 'acme', limit: '1.00' };

  async function check(config: object, environment: Record<string, string> = {}) {
    writeFileSync(file, JSON.stringify(config));
    return runIn(environment, 'check', '--config', file);
  }

  it('says what would be served, and makes no file', async () => {
    const budgets = [{ organizationId: 'acme', id: 'team', limit: '1' }];
    expect(
      await check({ organizations: [acme], budgets, apiKeys: [key] }, { EXA_API_KEY: 'a-key-of-an-account' }),
    ).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Nothing is wrong\. Models that can be called: \d+; organizations in the file: 1; keys: 1; budgets: 1\./,
      ),
      stderr: '',
    });
    expect(readdirSync(folder)).toEqual(['searchgate.json']);
  });

  it('names the mistakes of environment, file, keys and options at once', async () => {
    const wrong = { organizations: [acme], apiKeys: [{ ...key, secret: 'short' }], markup: '0', fallbacks: { no: [] } };
    const { code, stderr } = await check(wrong, { PORT: 'http' });
    expect(code).toBe(1);
    for (const path of ['PORT', 'apiKeys[0].secret']) expect(stderr).toContain(`${path}: found `);
    const { stderr: ofOptions } = await check(wrong);
    for (const path of ['apiKeys[0].secret', 'markup', 'fallbacks'])
      expect(ofOptions).toMatch(new RegExp(`^${path.replace(/[[\]]/g, '\\$&')}.*: found `, 'm'));
  });

  it('needs no file', async () => {
    expect(await run('check')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('check', '--config', join(folder, 'none.json'))).toMatchObject({ code: 1, stdout: '' });
  });
});

it('prints the hash of a password from standard input', async () => {
  const { code, stdout } = await runWith('correct horse\n', ['password-hash']);
  expect(code).toBe(0);
  expect(await isPassword('correct horse', stdout.trim())).toBe(true);
  expect(await isPassword('correct horse\n', stdout.trim())).toBe(false);
});

it('reads a password with characters cut between chunks', async () => {
  const bytes = [...Buffer.from('Käse\n')].map((byte) => Buffer.of(byte));
  const { stdout } = await runWith(bytes, ['password-hash']);
  expect(await isPassword('Käse', stdout.trim())).toBe(true);
});

it.each(['', '\n', '\r\n'])('refuses the empty password %j', async (input) => {
  expect(await runWith(input, ['password-hash'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'searchgate: there is no password on standard input\n',
  });
});
