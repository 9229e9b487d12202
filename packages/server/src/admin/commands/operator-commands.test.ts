import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adminShell, typed } from '../../../test/kit/admin-shell.js';
import { type Operator, readOperators } from '../../login/operators.js';
import { isPassword } from '../../login/password.js';
import type { AdminContext } from '../runner.js';

const PASSWORD = 'correct horse battery';
const HASH = `scrypt:${'a'.repeat(22)}:${'b'.repeat(43)}`;
const ADA: Operator = { name: 'ada', passwordHash: HASH, role: 'viewer', organizations: ['acme'] };
const CONTENT = { markup: '1.2', aliases: { fast: '${FAST}' }, operators: [ADA] };

/** Runs commands on a file, of which nothing they print has a password or a hash. */
function start(content: unknown = CONTENT) {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-operators-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'searchgate.json');
  writeFileSync(file, JSON.stringify(content));
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as typeof CONTENT;
  return {
    file,
    read,
    account: (name: string) => read().operators.find((each) => each.name === name),
    async run(input: string | AdminContext['stdin'], ...argv: string[]) {
      // No ledger is asked.
      const result = await adminShell('memory', { SEARCHGATE_CONFIG: file }, input)('operators', ...argv);
      expect(result.stdout + result.stderr).not.toMatch(/correct horse|scrypt:/);
      return result;
    },
  };
}

describe('operators', () => {
  it('are added, listed, changed and removed in the file, whose rest, mode and link stay', async () => {
    const { file, read, account, run } = start();
    const link = `${file}.link`;
    symlinkSync(file, link);
    chmodSync(file, 0o640);
    const bob = ['add', 'bob', '--role', 'operator', '--org', 'acme,b', '--org', 'c'];
    const added = await adminShell('memory', { SEARCHGATE_CONFIG: link }, `${PASSWORD}\r\n`)('operators', ...bob);
    expect(added.code).toBe(0);
    expect(account('bob')).toMatchObject({ role: 'operator', organizations: ['acme', 'b', 'c'] });
    expect(await isPassword(PASSWORD, account('bob')?.passwordHash ?? '')).toBe(true);
    expect((await run('', 'list')).stdout).toBe(
      'name  role      organizations\nada   viewer    acme\nbob   operator  acme,b,c\n',
    );
    await run('', 'update', 'bob', '--role', 'reader');
    await run('', 'update', 'ada', '--org', 'all');
    const { organizations, passwordHash } = account('bob') ?? {};
    expect([account('bob')?.role, organizations, account('ada')]).toEqual([
      'reader',
      ['acme', 'b', 'c'],
      { ...ADA, organizations: 'all' },
    ]);
    const { password } = (await run('', 'password', 'bob', '--generate', '--json')).json() as { password: string };
    expect(account('bob')?.passwordHash).not.toBe(passwordHash);
    expect(await isPassword(password, account('bob')?.passwordHash ?? '')).toBe(true);
    for (const name of ['ada', 'bob']) expect((await run('', 'remove', name)).code).toBe(0);
    expect([read(), statSync(file).mode & 0o777]).toEqual([{ ...CONTENT, operators: [] }, 0o640]);
  });

  it('asks for the password at a terminal', async () => {
    const { read, account, run } = start({});
    const add = (text: string) => run(typed(text), 'add', 'bob', '--role', 'viewer');
    expect([(await add('')).code, read()]).toEqual([1, {}]);
    expect((await add(`${PASSWORD}\nanother line\n`)).stderr).toBe('Password: \n');
    expect(account('bob')?.organizations).toBe('all');
    expect(await isPassword(PASSWORD, account('bob')?.passwordHash ?? '')).toBe(true);
  });

  const add = ['add', 'bob', '--role', 'viewer'];
  it.each<[string, string, readonly string[], number]>([
    ['operators[1].name: found "ada", expected a unique name', PASSWORD, ['add', 'ada', '--role', 'viewer'], 1],
    ['operators[1].name: found "page", expected another name', PASSWORD, ['add', 'page', '--role', 'viewer'], 1],
    ['operators[1].name: found "a\\u001bb", expected 1 to 64', PASSWORD, ['add', 'a\u001bb', '--role', 'viewer'], 1],
    ['operators[1].name: found "", expected 1 to 64', PASSWORD, ['add', '', '--role', 'viewer'], 1],
    ['expected 12 to 256 characters', 'eleven char', add, 1],
    ['expected 12 to 256 characters', `${PASSWORD}\nand a line`, add, 1],
    ['expected 12 to 256 characters', 'a'.repeat(257), add, 1],
    ['Allowed choices are viewer, reader, tenant, operator', PASSWORD, ['add', 'bob', '--role', 'admin'], 2],
    ["option '--role <role>' not specified", PASSWORD, ['add', 'bob'], 2],
    ["'' is invalid. Expected 1 to 128", PASSWORD, [...add, '--org', ''], 2],
    ['The password is read from standard input', '', [...add, PASSWORD], 2],
    ['The password is read from standard input', '', [...add, `--password=${PASSWORD}`], 2],
    ['operators: found no "eve", expected a name that `operators list` shows', PASSWORD, ['password', 'eve'], 1],
    ['operators: found no "eve"', '', ['remove', 'eve'], 1],
  ])('are refused with: %s %#', async (message, input, argv, code) => {
    const { read, run } = start();
    const refused = await run(input, ...argv);
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([code, '', expect.stringContaining(message)]);
    expect(read()).toEqual(CONTENT);
  });

  it.each<[string, unknown]>([
    ['operators[0].organizations: found an array of 0, expected an array of 1 to', [{ ...ADA, organizations: [] }]],
    ['operators[0].organizations: found nothing, expected "all" or', [{ ...ADA, organizations: undefined }]],
    ['operators[0].role: found "root", expected one of viewer, reader', [{ ...ADA, role: 'root' }]],
    // Quick to check: the time would tell that the name exists.
    [
      'operators[0].passwordHash: found a string (not shown)',
      [{ ...ADA, passwordHash: HASH.replace('scrypt', 'sha256') }],
    ],
    [
      'operators[0].passwordHash: found a string (not shown), expected the environment variable ADA',
      [{ ...ADA, passwordHash: '${ADA}' }],
    ],
    ['operators[1].name: found "ada", expected a unique name', [ADA, ADA]],
    ['operators: found an object, expected an array of operators', { ada: ADA }],
  ])('of a file are refused with: %s', (message, operators) => {
    expect(() => readOperators({ operators }, {})).toThrow(message);
    expect(readOperators({ operators: [{ ...ADA, passwordHash: '${H}' }] }, { H: HASH })).toEqual([ADA]);
  });

  it('need a file that can be written, by one command at a time', async () => {
    const { file, read, run } = start();
    writeFileSync(`${file}.draft`, '');
    expect((await run('', 'remove', 'ada')).stderr).toContain('another command is at work, or was killed');
    rmSync(`${file}.draft`);
    for (const environment of [{}, { SEARCHGATE_CONFIG: `${file}.none` }])
      expect((await adminShell('memory', environment)('operators', 'list')).stderr).toContain(
        'SEARCHGATE_CONFIG: found',
      );
    for (const content of [[], 'text']) {
      writeFileSync(file, JSON.stringify(content));
      expect((await run('', 'remove', 'ada')).stderr).toContain('expected a JSON object');
      expect(read()).toEqual(content);
    }
  });
});
