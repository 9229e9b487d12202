import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdminLedger } from '../../../test/kit/admin-ledger.js';
import { adminShell } from '../../../test/kit/admin-shell.js';

const KEY = 'sk-live-0123456789abcdef';
const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')] as const;
const WHERE = ['--org', 'acme', '--provider', 'exa'];

/** Runs commands with a secret and a key on standard input. Nothing they print has the key, or a secret. */
async function start() {
  const { file, run, remove } = await createAdminLedger();
  onTestFinished(remove);
  await run('orgs', 'create', 'acme');
  return async (secrets: string, input: string, ...argv: string[]) => {
    const environment = secrets === '' ? {} : { SEARCHGATE_TENANT_KEYS_SECRET: secrets };
    const result = await adminShell(`sqlite:${file}`, environment, input)(...argv);
    const printed = `${result.stdout}${result.stderr}`;
    for (const secret of [KEY, OLD, NEW]) expect(printed).not.toContain(secret.slice(0, 9));
    return result;
  };
}

describe('tenant-keys', () => {
  it('sets, lists, deletes and seals keys again', async () => {
    const run = await start();
    const set = await run(OLD, `${KEY}\n`, 'tenant-keys', 'set', ...WHERE);
    expect(set.stdout).toBe('The key of acme at exa is set, in every process within a minute.\n');
    const listed = await run('', '', 'tenant-keys', 'list', '--org', 'acme', '--json');
    const createdAt = expect.stringMatching(/^20.*Z$/) as string;
    expect(listed.json()).toEqual([{ providerId: 'exa', lastCharacters: 'cdef', createdAt }]);
    expect((await run('', '', 'tenant-keys', 'list', '--org', 'acme')).stdout).toMatch(/^exa {7}cdef {5}20/m);
    const reseal = async (secrets: string) => (await run(secrets, '', 'tenant-keys', 'reseal', '--json')).json();
    expect(await reseal(NEW)).toEqual({ resealed: 0, unreadable: [{ organizationId: 'acme', providerId: 'exa' }] });
    expect(await reseal(`${NEW},${OLD}`)).toEqual({ resealed: 1, unreadable: [] });
    const changes = (await run('', '', 'changes', '--json')).json() as { action: string }[];
    expect(changes[0]).toMatchObject({ action: 'tenant_key.set', after: { lastCharacters: 'cdef' } });
    expect((await run('', '', 'tenant-keys', 'delete', ...WHERE)).code).toBe(0);
    const again = await run('', '', 'tenant-keys', 'delete', ...WHERE);
    expect([again.code, again.stdout]).toEqual([1, 'The key of acme at exa is not there.\n']);
    await run(OLD, KEY, 'tenant-keys', 'set', ...WHERE);
    expect((await run('', '', 'erase', '--org', 'acme', '--json')).json()).toMatchObject({ tenantKeys: 1 });
  });

  it.each<[string, string, readonly string[], number, string]>([
    [OLD, KEY, [...WHERE, KEY], 2, 'the key is read from standard input'],
    [OLD, '', [...WHERE, `--key=${KEY}`], 2, 'the key is read from standard input'],
    [OLD, '', WHERE, 1, 'apiKey: found another value (not shown)'],
    [OLD, `${KEY} ${KEY}`, WHERE, 1, 'apiKey: found another value (not shown)'],
    [OLD, KEY, ['--org', 'acm', '--provider', 'exa'], 1, 'there is no organization acm'],
    [OLD, KEY, ['--org', 'acme', '--provider', 'exo'], 1, 'expected a vendor that needs nothing but a key: '],
    [OLD, 'exa', ['--org', 'acme', '--provider', KEY], 1, 'providerId: expected a vendor'],
    ['', KEY, WHERE, 1, 'there is no secret that could seal keys of organizations'],
    [`${OLD}x`, KEY, WHERE, 1, 'SEARCHGATE_TENANT_KEYS_SECRET: found a string (not shown)'],
  ])('refuses a wrong secret or command: %#', async (secrets, input, options, code, message) => {
    const run = await start();
    const refused = await run(secrets, input, 'tenant-keys', 'set', ...options);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect((await run('', '', 'tenant-keys', 'list', '--org', 'acme')).stdout).toBe('There is no key yet.\n');
  });
});

it('sets rules of domains, one way at a time', async () => {
  const run = await start();
  const organization = async (...options: string[]) => run('', '', 'orgs', 'update', 'acme', ...options);
  expect((await organization('--only', 'Example.org, bücher.example')).stdout).toMatch(
    /^ {2}domains {2}only example\.org, xn--bcher-kva\.example$/m,
  );
  const many = Array.from({ length: 7 }, (_, at) => `site-${at}.example`).join(',');
  expect((await organization('--never', many)).stdout).toContain('site-4.example and 2 more');
  expect((await organization('--domains', 'none', '--json')).json()).toMatchObject({ domains: null });
  const made = await run(
    '',
    '',
    'keys',
    'create',
    '--org',
    'acme',
    '--label',
    'a',
    '--limit',
    'none',
    '--only',
    'a.example',
  );
  expect(made.stdout).toMatch(/^ {2}domains {7}only a\.example$/m);
  for (const wrong of [
    ['--only', 'a.example', '--never', 'b.example'],
    ['--only', 'https://a.example'],
    ['--domains', 'all'],
  ])
    expect((await organization(...wrong)).code).toBe(2);
});
