import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { isPassword } from '../login/password.js';
import { runProgram } from './run-program.js';

function run(...argv: string[]) {
  return runWith('', ...argv);
}

async function runWith(input: string | readonly Buffer[], ...argv: string[]) {
  const printed = { stdout: '', stderr: '' };
  const code = await runProgram(
    argv,
    {},
    {
      stdin: Readable.from(typeof input === 'string' ? [input] : input),
      stdout: { write: (text) => (printed.stdout += text) },
      stderr: { write: (text) => (printed.stderr += text) },
    },
  );
  return { code, ...printed };
}

it('prints its commands and its version', async () => {
  expect(await run('--help')).toEqual({ code: 0, stdout: expect.stringContaining('searchgate admin'), stderr: '' });
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

it('refuses commands and arguments that do not exist, and starts nothing', async () => {
  const hint = 'searchgate --help says more.\n';
  expect(await run('serve')).toEqual({ code: 2, stdout: '', stderr: `searchgate: there is no command serve\n${hint}` });
  expect(await run('start', '--port', '1')).toEqual({
    code: 2,
    stdout: '',
    stderr: `searchgate: start takes no arguments: --port 1\n${hint}`,
  });
});

it('prints the hash of a password from standard input', async () => {
  const { code, stdout } = await runWith('correct horse\n', 'password-hash');
  expect(code).toBe(0);
  expect(await isPassword('correct horse', stdout.trim())).toBe(true);
  expect(await isPassword('correct horse\n', stdout.trim())).toBe(false);
});

it('reads a password with characters cut between chunks', async () => {
  const bytes = [...Buffer.from('Käse\n')].map((byte) => Buffer.of(byte));
  const { stdout } = await runWith(bytes, 'password-hash');
  expect(await isPassword('Käse', stdout.trim())).toBe(true);
});

it.each(['', '\n', '\r\n'])('refuses the empty password %j', async (input) => {
  expect(await runWith(input, 'password-hash')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'searchgate: there is no password on standard input\n',
  });
});
