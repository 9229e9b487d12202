import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminLedger, createAdminLedger } from '../../test/kit/admin-ledger.js';
import { adminShell, typed } from '../../test/kit/admin-shell.js';

const KEY = ['keys', 'create', '--label', 'x', '--limit', 'none', '--org'];
const GRANT = ['credits', 'grant', '--amount', '1', '--org'];
const QUESTION = 'There is no organization acne; did you mean acme? Create it? [y/N] ';
const REFUSAL =
  'error: --org: found "acne", expected an organization that exists; to make it, add --create. Did you mean "acme"?';

let admin: AdminLedger;
beforeEach(async () => {
  admin = await createAdminLedger();
  await admin.run('orgs', 'create', 'acme');
});
afterEach(() => admin.remove());

const ids = async () => ((await admin.run('orgs', 'list', '--json')).json() as { id: string }[]).map(({ id }) => id);

describe.each([
  ['keys create', KEY],
  ['credits grant', GRANT],
])('%s, for an organization of another name', (_, argv) => {
  const at = (input: Parameters<typeof adminShell>[2], ...rest: string[]) =>
    adminShell(`sqlite:${admin.file}`, {}, input)(...argv, ...rest);

  it.each([
    ['where there is no terminal to ask', 'y\n', ''],
    ['after a no', typed('n\n'), QUESTION],
    ['after nothing', typed('\n'), QUESTION],
    ['after the end of the input', typed(''), QUESTION],
  ])('refuses it %s, and names the nearest', async (_where, input, question) => {
    const { code, stdout, stderr } = await at(input, 'acne');
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([1, '', question + REFUSAL]);
    expect(await ids()).toEqual(['acme']);
  });

  it.each([
    ['after a yes', typed('y\n'), ['acne'], QUESTION],
    ['with --create', '', ['acne', '--create'], ''],
    [
      'after a yes, with nothing near',
      typed('yes\n'),
      ['globex'],
      'There is no organization globex. Create it? [y/N] ',
    ],
  ])('makes it %s', async (_when, input, rest, question) => {
    const { code, stdout, stderr } = await at(input, ...rest);
    expect([code, stderr]).toEqual([0, question]);
    expect(stdout).toContain(`Organization ${rest[0]} was not known before.`);
    expect(await ids()).toEqual(['acme', rest[0]]);
  });

  it('asks nothing for one that exists, or that the file will make', async () => {
    const file = join(admin.folder, 'searchgate.json');
    writeFileSync(file, JSON.stringify({ organizations: [null, { id: 'globex', credits: null }] }));
    const run = adminShell(`sqlite:${admin.file}`, { SEARCHGATE_CONFIG: file });
    for (const id of ['acme', 'globex']) expect(await run(...argv, id)).toMatchObject({ code: 0, stderr: '' });
    expect((await run(...argv, 'globes')).stderr).toContain('Did you mean "globex"?');
    writeFileSync(file, '7');
    expect((await run(...argv, 'globes')).stderr).toContain('Did you mean "globex"?');
  });
});

it.each([
  ['orgs', 'update', 'acne', '--rate', '1/s'],
  ['orgs', 'suspend', 'acne'],
  ['budgets', 'set', '--org', 'acne', '--budget', 'team', '--limit', '1'],
  ['credits', 'adjust', '--org', 'acne', '--amount', '1', '--note', 'why'],
  ['tenant-keys', 'set', '--org', 'acne', '--provider', 'exa'],
])('%s %s names the nearest organization', async (...argv) => {
  expect((await admin.run(...argv)).stderr).toBe('error: there is no organization acne. Did you mean "acme"?\n');
});
