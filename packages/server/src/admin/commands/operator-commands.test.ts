import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adminShell } from '../../../test/kit/admin-shell.js';
import { type Operator, readOperators } from '../../login/operators.js';
import { isPassword } from '../../login/password.js';

const HASH = `scrypt:${'a'.repeat(22)}:${'b'.repeat(43)}`;
const ADA: Operator = { name: 'ada', passwordHash: HASH, role: 'viewer', organizations: ['acme'] };
const CONTENT = { markup: '1.2', aliases: { fast: '${FAST}' }, operators: [ADA] };

/** Runs commands on a file, of which nothing they print has a hash. */
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
    async run(...argv: string[]) {
      // No ledger is asked.
      const result = await adminShell('memory', { SEARCHGATE_CONFIG: file })('operators', ...argv);
      expect(result.stdout + result.stderr).not.toMatch(/scrypt:/);
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
    const added = await adminShell('memory', { SEARCHGATE_CONFIG: link })('operators', ...bob);
    expect(added.code).toBe(0);
    const first = added.stdout.split('shown once: ')[1]?.trim() ?? '';
    expect(account('bob')).toMatchObject({ role: 'operator', organizations: ['acme', 'b', 'c'] });
    expect(await isPassword(first, account('bob')?.passwordHash ?? '')).toBe(true);
    expect((await run('list')).stdout).toBe(
      'name  role      organizations\nada   viewer    acme\nbob   operator  acme,b,c\n',
    );
    const { password } = (await run('password', 'bob', '--json')).json() as { password: string };
    const hash = account('bob')?.passwordHash ?? '';
    expect([await isPassword(first, hash), await isPassword(password, hash), account('ada')]).toEqual([
      false,
      true,
      ADA,
    ]);
    expect((await run('add', 'eve', '--role', 'viewer', '--org', 'all')).code).toBe(0);
    expect((await run('remove', 'eve')).code).toBe(0);
    for (const name of ['ada', 'bob']) expect((await run('remove', name)).code).toBe(0);
    expect([read(), statSync(file).mode & 0o777]).toEqual([{ ...CONTENT, operators: [] }, 0o640]);
  });

  const add = ['add', 'bob', '--role', 'viewer'];
  it.each<[string, readonly string[], number]>([
    ['operators[1].name: found "ada", expected a unique name', ['add', 'ada', '--role', 'viewer'], 1],
    ['operators[1].name: found "page", expected another name', ['add', 'page', '--role', 'viewer'], 1],
    ['operators[1].name: found "a\\u001bb", expected 1 to 64', ['add', 'a\u001bb', '--role', 'viewer'], 1],
    ['operators[1].name: found "", expected 1 to 64', ['add', '', '--role', 'viewer'], 1],
    ['Allowed choices are viewer, reader, tenant, operator', ['add', 'bob', '--role', 'admin'], 2],
    ["option '--role <role>' not specified", ['add', 'bob'], 2],
    ["'' is invalid. Expected 1 to 128", [...add, '--org', ''], 2],
    ['operators: found no "eve", expected a name that `operators list` shows', ['password', 'eve'], 1],
    ['operators: found no "eve"', ['remove', 'eve'], 1],
  ])('are refused with: %s %#', async (message, argv, code) => {
    const { read, run } = start();
    const refused = await run(...argv);
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
    expect((await run('remove', 'ada')).stderr).toContain('another command is at work, or was killed');
    rmSync(`${file}.draft`);
    for (const environment of [{}, { SEARCHGATE_CONFIG: `${file}.none` }])
      expect((await adminShell('memory', environment)('operators', 'list')).stderr).toContain(
        'SEARCHGATE_CONFIG: found',
      );
    for (const content of [[], 'text']) {
      writeFileSync(file, JSON.stringify(content));
      expect((await run('remove', 'ada')).stderr).toContain('expected a JSON object');
      expect(read()).toEqual(content);
    }
  });
});
