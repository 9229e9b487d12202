import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import type { Administration, NewAdjustment, NewGrant } from './administration.js';
import { isAdministrationError } from './administration-error.js';
import { type AdministrationOptions, createAdministration } from './create-administration.js';

const NOW_MS = Date.UTC(2026, 10, 21);

function start() {
  const clock = createFakeClock(NOW_MS);
  const ledger = memoryLedger({ clock });
  const apiKeys = memoryApiKeys();
  return { clock, ledger, apiKeys, administration: createAdministration({ ledger, apiKeys, clock }) };
}

async function startWithKey() {
  const started = start();
  const { key } = await started.administration.apiKeys.create({ organizationId: 'acme', label: 'ci' });
  return { ...started, keyId: key.id };
}

describe('createAdministration', () => {
  it.each<[string, object, string]>([
    ['a store that cannot be changed', { apiKeys: { findByHash: () => undefined } }, 'createAdministration.apiKeys'],
    ['no registry where it is spelled out', { apiKeys: null }, 'createAdministration.apiKeys'],
    ['no ledger', { ledger: undefined }, 'createAdministration.ledger'],
    ['an invalid gateway', { gateway: {} }, 'createAdministration.gateway'],
    ['an option there is not', { gateways: [] }, 'createAdministration.gateways'],
  ])('refuses %s', (_name, changes, path) => {
    const options = { ledger: memoryLedger(), apiKeys: memoryApiKeys(), ...changes } as AdministrationOptions;
    expect(() => createAdministration(options)).toThrow(
      expect.objectContaining({ reason: 'invalid_configuration', problems: [expect.objectContaining({ path })] }),
    );
  });

  it('ends the holds whose time has passed on its clock', async () => {
    const { administration, ledger, clock } = start();
    await administration.grant({ organizationId: 'acme', amount: '1' });
    const owner = { organizationId: 'acme', keyId: 'key', keyLimit: null };
    await ledger.hold({ holdId: 'left', ...owner, amount: 5n, expiresAtMs: NOW_MS + 1_000, model: 'exa/answer' });
    expect(await administration.expireHolds()).toBe(0);
    await clock.advance(1_000);
    expect(await administration.expireHolds()).toBe(1);
    expect(await administration.organizations.get('acme')).toMatchObject({ usage: 0n, held: 0n });
  });

  it('shows the log of the ledger', async () => {
    const { administration, ledger } = start();
    await administration.grant({ organizationId: 'acme', amount: '1', note: 'hello' });
    await administration.grant({ organizationId: 'globex', amount: '2' });
    const query = { organizationId: 'globex', limit: 1 };
    expect(await administration.entries(query)).toEqual(await ledger.entries(query));
    expect((await administration.entries()).entries).toMatchObject([{ note: 'hello' }, { note: '' }]);
  });

  it('refuses a range of the log that ends before it begins', async () => {
    const { administration } = start();
    await expect(administration.entries({ fromMs: 2, toMs: 1 })).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: 'toMs: found 1, expected fromMs (2) or later',
    });
    expect((await administration.entries({ fromMs: 2, toMs: 2 })).entries).toEqual([]);
  });
});

describe('grant', () => {
  it('adds credits to an organization, and creates it', async () => {
    const { administration } = start();
    const { grantId, applied } = await administration.grant({ organizationId: 'acme', amount: '25.000000001' });
    expect({ applied, grantId }).toEqual({ applied: true, grantId: expect.stringMatching(/^grant_[0-9A-Z]{26}$/) });
    expect(await administration.organizations.get('acme')).toEqual({
      id: 'acme',
      name: null,
      createdAtMs: NOW_MS,
      suspendedAtMs: null,
      rateLimit: null,
      maxConcurrent: null,
      operatorPays: false,
      domains: null,
      credits: 25_000_000_001n,
      usage: 0n,
      held: 0n,
    });
  });

  it('adds every time without an id, and once with one', async () => {
    const { administration } = start();
    const grant = { organizationId: 'acme', amount: '1' };
    await administration.grant(grant);
    await administration.grant(grant);
    const paid = { ...grant, grantId: 'payment-7' };
    expect(await administration.grant(paid)).toEqual({ grantId: 'payment-7', applied: true });
    expect(await administration.grant(paid)).toEqual({ grantId: 'payment-7', applied: false });
    expect(await administration.organizations.get('acme')).toMatchObject({ credits: 3_000_000_000n });
  });

  it.each<[object, string]>([
    [{ amount: '-1' }, 'invalid_amount'],
    [{ amount: '$5' }, 'invalid_amount'],
    [{ amount: 5 }, 'invalid_amount'],
    [{ amount: undefined }, 'invalid_amount'],
    [{ amount: '0.0000000001' }, 'invalid_amount'],
    [{ amount: '4611686018.427387905' }, 'invalid_amount'],
    [{ organizationId: 'two words' }, 'invalid_id'],
    [{ grantId: '' }, 'invalid_id'],
    [{ note: 'x'.repeat(1_001) }, 'invalid_argument'],
    [{ organizationsId: 'acme' }, 'invalid_argument'],
  ])('refuses %j and creates no organization', async (changes, reason) => {
    const { administration } = start();
    const grant = { organizationId: 'acme', amount: '1', ...changes } as NewGrant;
    await expect(administration.grant(grant)).rejects.toMatchObject({ name: 'AdministrationError', reason });
    expect((await administration.organizations.list()).items).toEqual([]);
  });

  it('accepts the largest amount', async () => {
    const { administration } = start();
    await administration.grant({ organizationId: 'acme', amount: '4611686018.427387904' });
    expect(await administration.organizations.get('acme')).toMatchObject({ credits: 2n ** 62n });
  });
});

describe('adjust', () => {
  it('corrects the usage of an organization up and down, and of a given key', async () => {
    const { administration, ledger, keyId } = await startWithKey();
    const { adjustmentId } = await administration.adjust({ organizationId: 'acme', amount: '0.5', note: 'found' });
    expect(adjustmentId).toMatch(/^adjustment_[0-9A-Z]{26}$/);
    await administration.adjust({ organizationId: 'acme', keyId, amount: '-0.2', note: 'refund' });
    expect(await administration.organizations.get('acme')).toMatchObject({ usage: 300_000_000n });
    expect(await ledger.keyTotals(keyId)).toMatchObject({ usage: -200_000_000n });
  });

  it('corrects the usage of given budgets', async () => {
    const { administration } = await startWithKey();
    for (const id of ['team:a', 'user:ada']) await administration.budgets.set('acme', { id, limit: '5' });
    const refund = { organizationId: 'acme', budgets: ['user:ada', 'team:a'], amount: '-0.2', note: 'refund' };
    await administration.adjust(refund);
    await administration.adjust({ ...refund, budgets: ['team:a'] });
    expect(await administration.budgets.get('acme', 'team:a')).toMatchObject({ usage: -400_000_000n });
    expect(await administration.budgets.get('acme', 'user:ada')).toMatchObject({ usage: -200_000_000n });
  });

  it('applies an id once', async () => {
    const { administration } = await startWithKey();
    const refund = { organizationId: 'acme', amount: '-1', note: 'refund', adjustmentId: 'refund-7' };
    expect(await administration.adjust(refund)).toEqual({ adjustmentId: 'refund-7', applied: true });
    expect(await administration.adjust(refund)).toEqual({ adjustmentId: 'refund-7', applied: false });
    expect(await administration.organizations.get('acme')).toMatchObject({ usage: -1_000_000_000n });
  });

  it.each<[object, string]>([
    [{ organizationId: 'acne' }, 'unknown_organization'],
    [{ keyId: 'unknown' }, 'unknown_key'],
    [{ keyId: 'of-globex' }, 'unknown_key'],
    [{ keyid: 'of-acme' }, 'invalid_argument'],
    [{ budgets: ['team:none'] }, 'unknown_budget'],
    [{ budgets: ['a', 'b', 'c', 'd', 'e'] }, 'invalid_argument'],
    [{ budgets: ['two words'] }, 'invalid_id'],
    [{ note: undefined }, 'invalid_argument'],
    [{ amount: '1e3' }, 'invalid_amount'],
    [{ amount: '-4611686018.427387905' }, 'invalid_amount'],
    [{ keyId: 'two words' }, 'invalid_id'],
    [{ adjustmentId: 'two words' }, 'invalid_id'],
  ])('refuses %j and changes nothing', async (changes, reason) => {
    const { administration, ledger, apiKeys } = await startWithKey();
    const [template] = (await apiKeys.listKeys()).items;
    if (template === undefined) throw new Error('there is a key');
    await apiKeys.insertKey({ ...template, id: 'of-globex', hash: 'f'.repeat(64), organizationId: 'globex' });
    const adjustment = { organizationId: 'acme', amount: '1', note: '', ...changes } as NewAdjustment;
    await expect(administration.adjust(adjustment)).rejects.toMatchObject({ name: 'AdministrationError', reason });
    expect((await ledger.entries()).entries).toEqual([]);
  });
});

describe('administration without a key registry', () => {
  function startOfHost() {
    const clock = createFakeClock(NOW_MS);
    const ledger = memoryLedger({ clock });
    return { clock, ledger, administration: createAdministration({ ledger, clock }) };
  }

  it('grants, corrects and adds up for organizations and keys of the host', async () => {
    const { administration } = startOfHost();
    expect(administration.hasKeyRegistry).toBe(false);
    await administration.grant({ organizationId: 'acme', amount: '25.00', grantId: 'payment-1' });
    expect(await administration.grant({ organizationId: 'acme', amount: '25.00', grantId: 'payment-1' })).toMatchObject(
      {
        applied: false,
      },
    );
    await administration.adjust({ organizationId: 'acme', keyId: 'user-7', amount: '2', note: 'moved' });
    expect(await administration.organizations.get('acme')).toEqual({
      id: 'acme',
      name: null,
      createdAtMs: null,
      suspendedAtMs: null,
      rateLimit: null,
      maxConcurrent: null,
      operatorPays: false,
      domains: null,
      credits: 25_000_000_000n,
      usage: 2_000_000_000n,
      held: 0n,
    });
    expect(await administration.apiKeys.totals({ id: 'user-7', limitReset: null })).toMatchObject({
      usage: 2_000_000_000n,
    });
    expect(await administration.statement({ by: 'key', organizationId: 'acme' })).toMatchObject([
      { group: 'user-7', adjusted: 2_000_000_000n },
      { group: null, granted: 25_000_000_000n },
    ]);
    expect((await administration.entries()).entries).toHaveLength(2);
  });

  it('gives an account to an organization without usage, and refuses an invalid id', async () => {
    const { administration } = startOfHost();
    expect(await administration.organizations.get('new')).toMatchObject({
      id: 'new',
      credits: 0n,
      usage: 0n,
      held: 0n,
    });
    await expect(administration.organizations.get('two words')).rejects.toMatchObject({
      name: 'AdministrationError',
      reason: 'invalid_id',
    });
  });

  it('lists the organizations of the log, page by page', async () => {
    const { administration } = startOfHost();
    for (const organizationId of ['c', 'a', 'b']) await administration.grant({ organizationId, amount: '1' });
    const first = await administration.organizations.list({ limit: 2 });
    expect(first).toMatchObject({ items: [{ id: 'a' }, { id: 'b' }], nextCursor: 'b' });
    const last = await administration.organizations.list({ limit: 2, cursor: first.nextCursor ?? '' });
    expect(last).toMatchObject({ items: [{ id: 'c' }], nextCursor: null });
    expect((await administration.organizations.list()).items).toHaveLength(3);
  });

  it.each<[string, (administration: Administration) => Promise<unknown>]>([
    ['organizations.create', ({ organizations }) => organizations.create({ id: 'acme' })],
    ['organizations.update', ({ organizations }) => organizations.update('acme', { name: 'Acme' })],
    ['organizations.suspend', ({ organizations }) => organizations.suspend('acme')],
    ['organizations.resume', ({ organizations }) => organizations.resume('acme')],
    ['apiKeys.create', ({ apiKeys }) => apiKeys.create({ organizationId: 'acme', label: 'ci' })],
    ['apiKeys.get', ({ apiKeys }) => apiKeys.get('user-7')],
    ['apiKeys.list', ({ apiKeys }) => apiKeys.list()],
    ['apiKeys.update', ({ apiKeys }) => apiKeys.update('user-7', { label: 'x' })],
    ['apiKeys.revoke', ({ apiKeys }) => apiKeys.revoke('user-7')],
  ])('refuses %s, which needs a key registry', async (name, call) => {
    const error: unknown = await call(startOfHost().administration).catch((thrown: unknown) => thrown);
    expect(isAdministrationError(error)).toBe(true);
    expect(error).toMatchObject({ reason: 'no_key_registry' });
    expect(String(error)).toContain(
      `${name}: there is no key registry here: the gateway's host authenticates callers.`,
    );
  });

  it('passes failures of the storage on unchanged', async () => {
    const { ledger, administration } = startOfHost();
    await ledger.close();
    await expect(administration.entries()).rejects.toMatchObject({ name: 'LedgerError', reason: 'ledger_closed' });
  });
});
