import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import type { NewAdjustment, NewGrant } from './administration.js';
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

  it('refuses to show a time of the log that ends before it begins', async () => {
    const { administration } = start();
    await expect(administration.entries({ fromMs: 2, toMs: 1 })).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: 'toMs: found 1, expected fromMs (2) or later',
    });
    expect((await administration.entries({ fromMs: 2, toMs: 2 })).entries).toEqual([]);
  });
});

describe('grant', () => {
  it('adds credits to an organization, and makes it known', async () => {
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
  ])('refuses %j and makes nothing known', async (changes, reason) => {
    const { administration } = start();
    const grant = { organizationId: 'acme', amount: '1', ...changes } as NewGrant;
    await expect(administration.grant(grant)).rejects.toMatchObject({ name: 'LedgerError', reason });
    expect((await administration.organizations.list()).items).toEqual([]);
  });

  it('takes the largest amount there is', async () => {
    const { administration } = start();
    await administration.grant({ organizationId: 'acme', amount: '4611686018.427387904' });
    expect(await administration.organizations.get('acme')).toMatchObject({ credits: 2n ** 62n });
  });
});

describe('adjust', () => {
  it('corrects the usage of an organization up and down, and of a key where it is named', async () => {
    const { administration, ledger, keyId } = await startWithKey();
    const { adjustmentId } = await administration.adjust({ organizationId: 'acme', amount: '0.5', note: 'found' });
    expect(adjustmentId).toMatch(/^adjustment_[0-9A-Z]{26}$/);
    await administration.adjust({ organizationId: 'acme', keyId, amount: '-0.2', note: 'refund' });
    expect(await administration.organizations.get('acme')).toMatchObject({ usage: 300_000_000n });
    expect(await ledger.keyTotals(keyId)).toMatchObject({ usage: -200_000_000n });
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
    await expect(administration.adjust(adjustment)).rejects.toMatchObject({ name: 'LedgerError', reason });
    expect((await ledger.entries()).entries).toEqual([]);
  });
});
