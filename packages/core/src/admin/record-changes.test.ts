import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import { newOrganization } from '../auth/registry-records.js';
import { type AuditLog, memoryAuditLog } from '../ledger/audit-log.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import { memoryRequestLog } from '../ledger/memory-request-log.js';
import { createAdministration } from './create-administration.js';

const NOW_MS = Date.UTC(2026, 10, 26);

function start(replaced: Partial<AuditLog> = {}, apiKeys = memoryApiKeys([])) {
  const clock = createFakeClock(NOW_MS);
  const ledger = memoryLedger({ clock });
  const auditLog = { ...memoryAuditLog(), ...replaced };
  const administration = createAdministration({
    ledger,
    apiKeys,
    requestLog: memoryRequestLog(),
    auditLog,
    clock,
  });
  const records = async () => (await administration.changes.find({})).records.toReversed();
  return { administration, ada: administration.as('ada'), ledger, clock, records };
}

describe('the record of changes', () => {
  it('has who, what, before and after of every change', async () => {
    const { ada, records, clock } = start();
    const changes = [
      () => ada.organizations.create({ id: 'acme', name: 'Acme' }),
      () => ada.organizations.update('acme', { operatorPays: true }),
      () => ada.grant({ organizationId: 'acme', amount: '25.00', note: 'invoice', grantId: 'g' }),
      () => ada.adjust({ organizationId: 'acme', amount: '-0.50', note: 'refund', adjustmentId: 'a' }),
      () => ada.organizations.suspend('acme'),
      () => ada.organizations.resume('acme'),
      () => ada.requests.erase('acme'),
    ];
    for (const change of changes) {
      await change();
      await clock.advance(1);
    }
    const found = await records();
    expect(found.map(({ action }) => action)).toEqual([
      'organization.create',
      'organization.update',
      'grant',
      'adjust',
      'organization.suspend',
      'organization.resume',
      'requests.erase',
    ]);
    expect(new Set(found.map(({ actor, outcome, organizationId }) => `${actor} ${outcome} ${organizationId}`))).toEqual(
      new Set(['ada made acme']),
    );
    expect(found[0]).toMatchObject({
      atMs: NOW_MS,
      before: null,
      after: { name: 'Acme', createdAt: '2026-11-26T00:00:00Z' },
    });
    expect(found[2]).toMatchObject({
      given: { amount: '25.00', note: 'invoice', grantId: 'g' },
      before: { credits: '0', operatorPays: true },
      after: { credits: '25' },
    });
    expect(found[3]).toMatchObject({ before: { usage: '0' }, after: { usage: '-0.5' } });
    expect(found[4]).toMatchObject({ before: { suspendedAt: null }, after: { suspendedAt: '2026-11-26T00:00:00Z' } });
  });

  it('has the changes of keys, without a secret', async () => {
    const { ada, records, clock } = start();
    const { secret, key } = await ada.apiKeys.create({ organizationId: 'acme', label: 'ci', limit: '5.00' });
    await clock.advance(1);
    await ada.apiKeys.update(key.id, { limit: '7.00' });
    await clock.advance(1);
    await ada.apiKeys.revoke(key.id);
    const found = await records();
    expect(found).toMatchObject([
      { action: 'key.create', keyId: key.id, before: null, after: { label: 'ci', limit: '5' } },
      { action: 'key.update', keyId: key.id, before: { limit: '5' }, after: { limit: '7' } },
      {
        action: 'key.revoke',
        keyId: key.id,
        before: { revokedAt: null },
        after: { revokedAt: '2026-11-26T00:00:00Z' },
      },
    ]);
    expect(JSON.stringify(found)).not.toContain(secret);
    expect(JSON.stringify(found)).not.toMatch(/[0-9a-f]{64}/);
  });

  it('says that a change failed', async () => {
    const { ada, ledger, records } = start();
    await expect(ada.grant({ organizationId: 'acme', amount: 'five' })).rejects.toMatchObject({
      reason: 'invalid_amount',
    });
    expect(await records()).toMatchObject([{ outcome: 'failed', after: null }]);
    expect((await ledger.organizationTotals('acme')).credits).toBe(0n);
  });

  it.each(['two\nlines', 'NUL \0', '\ud800', 'x'.repeat(129), 7, undefined])(
    'is of no organization %j: not every log can keep it',
    async (id) => {
      const { ada, records } = start();
      const organizationId = id as string;
      const refusals = [
        ada.grant({ organizationId, amount: '1' }),
        ada.adjust({ organizationId, amount: '1', note: '' }),
        ada.organizations.create({ id: organizationId }),
        ada.organizations.update(organizationId, { name: 'Acme' }),
        ada.organizations.suspend(organizationId),
        ada.organizations.resume(organizationId),
        ada.apiKeys.create({ organizationId, label: 'ci' }),
      ];
      for (const refused of refusals) await expect(refused).rejects.toMatchObject({ reason: 'invalid_id' });
      expect(await records()).toEqual([]);
    },
  );

  it('keeps a bounded part of what was sent', async () => {
    const { ada, records, clock } = start();
    const allowedModels = Array.from({ length: 1_000 }, (_, index) => `exa/model-${index}`);
    const { key } = await ada.apiKeys.create({ organizationId: 'acme', label: 'ci', allowedModels });
    await clock.advance(1);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 'x'.repeat(9_000)]));
    await expect(ada.apiKeys.update(key.id, { ...many, label: 'x'.repeat(1_000_000) })).rejects.toMatchObject({
      reason: 'invalid_argument',
    });
    const found = await records();
    expect(found.map(({ outcome }) => outcome)).toEqual(['made', 'failed']);
    expect(found[0]?.given['allowedModels']).toMatch(/^\["exa\/model-0",.*…$/);
    for (const record of found) expect(JSON.stringify(record).length).toBeLessThan(40_000);
  });

  it('refuses a change whose record fails: nothing happens', async () => {
    const full = async () => Promise.reject(new Error('disk full'));
    const { ada, ledger } = start({ append: full });
    const { organizations, apiKeys } = ada;
    await expect(ada.grant({ organizationId: 'acme', amount: '5' })).rejects.toThrow('disk full');
    await expect(organizations.create({ id: 'acme' })).rejects.toThrow('disk full');
    await expect(apiKeys.create({ organizationId: 'acme', label: 'ci' })).rejects.toThrow('disk full');
    expect((await ledger.organizationTotals('acme')).credits).toBe(0n);
    expect((await organizations.list()).items).toEqual([]);
    expect((await apiKeys.list()).items).toEqual([]);
  });

  it('erases nothing before that is recorded', async () => {
    const log = memoryAuditLog();
    const store = { isFull: false, fillsUp: false };
    const { ada, records } = start({
      append: async (record) => (store.isFull ? Promise.reject(new Error('disk full')) : log.append(record)),
      erase: async (id) => {
        store.isFull = store.fillsUp;
        return log.erase(id);
      },
      find: async (...given) => log.find(...given),
    });
    await ada.organizations.create({ id: 'acme' });
    store.isFull = true;
    await expect(ada.changes.erase('acme')).rejects.toThrow('disk full');
    expect(await records()).toMatchObject([{ action: 'organization.create', outcome: 'made' }]);
    Object.assign(store, { isFull: false, fillsUp: true });
    expect(await ada.changes.erase('acme')).toBe(1);
    expect(await records()).toMatchObject([{ action: 'changes.erase', outcome: 'begun' }]);
  });

  it('says "begun" of a change whose end could not be recorded', async () => {
    const log = memoryAuditLog();
    let appended = 0;
    const { administration, records } = start({
      ...log,
      append: async (record) => (++appended > 1 ? Promise.reject(new Error('gone')) : log.append(record)),
    });
    expect(await administration.grant({ organizationId: 'acme', amount: '5', grantId: 'g' })).toMatchObject({
      applied: true,
    });
    expect(await records()).toMatchObject([{ actor: 'host', outcome: 'begun', after: null }]);
  });

  it.each(['suspend', 'update', 'grant'] as const)('does not call %s failed if it may have been made', async (name) => {
    const registry = memoryApiKeys([]);
    const lost = async () => Promise.reject(new Error('connection lost'));
    // The answer of the storage is lost after it has made the change.
    const { administration, ada, ledger, records } = start({}, { ...registry, listKeys: lost });
    await registry.insertOrganization(newOrganization('acme', NOW_MS));
    const { grant } = ledger;
    Object.assign(ledger, { grant: async (given: Parameters<typeof grant>[0]) => grant(given).then(lost) });
    const changes = {
      suspend: () => ada.organizations.suspend('acme'),
      update: () => ada.organizations.update('acme', { name: 'Acme' }),
      grant: () => ada.grant({ organizationId: 'acme', amount: '5' }),
    };
    const before = await administration.organizations.get('acme');
    await expect(changes[name]()).rejects.toThrow('connection lost');
    expect(await administration.organizations.get('acme')).not.toEqual(before);
    expect(await records()).toMatchObject([{ outcome: 'begun', after: null }]);
  });

  it('is erased for one organization, except money and the erasing itself, however often it is erased', async () => {
    const { ada, records, clock } = start();
    const grant = { organizationId: 'acme', amount: '5' };
    const changes = [
      () => ada.organizations.create({ id: 'acme' }),
      () => ada.grant(grant),
      () => ada.adjust({ ...grant, note: 'refund' }),
      () => ada.organizations.update('acme', { operatorPays: true }),
      () => ada.organizations.update('acme', { name: 'Acme' }),
      () => ada.apiKeys.create({ organizationId: 'acme', label: 'ci' }),
      () => ada.grant({ ...grant, amount: 'five' }).catch(() => undefined),
      () => ada.requests.erase('acme'),
      () => ada.requests.eraseTexts({ organizationId: 'acme', tag: 'ada' }),
      () => ada.organizations.create({ id: 'globex' }),
      () => ada.changes.erase('acme'),
      () => ada.changes.erase('acme'),
    ];
    const made: unknown[] = [];
    for (const change of changes) {
      made.push(await change());
      await clock.advance(1);
    }
    expect(made.slice(-2)).toEqual([3, 0]);
    expect((await records()).map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'grant made',
      'adjust made',
      'organization.update made',
      'grant failed',
      'requests.erase made',
      'texts.erase made',
      'organization.create made',
      'changes.erase made',
      'changes.erase made',
    ]);
    for (const id of ['', 'a b']) await expect(ada.changes.erase(id)).rejects.toMatchObject({ reason: 'invalid_id' });
  });

  it('refuses an actor without a name, and an invalid filter', async () => {
    const { administration } = start();
    expect(() => administration.as('')).toThrow('1 to 256 characters');
    await expect(administration.changes.find({ sinceMs: Number.NaN })).rejects.toMatchObject({
      reason: 'invalid_argument',
    });
    await expect(administration.changes.find({}, { limit: 0 })).rejects.toMatchObject({ reason: 'invalid_argument' });
    await expect(administration.changes.find({}, { cursor: '' })).rejects.toMatchObject({ reason: 'invalid_cursor' });
  });
});

it('records every operation that changes something', () => {
  // A new operation has to be recorded, or named here.
  const reads = [
    'get',
    'list',
    'totals',
    'find',
    'newest',
    'statistics',
    'texts',
    'entries',
    'statement',
    'expireHolds',
    'as',
  ];
  const recorded = ['grant', 'adjust', 'create', 'update', 'suspend', 'resume', 'revoke', 'erase', 'eraseTexts'];
  const { ada } = start();
  const parts = [ada, ada.organizations, ada.apiKeys, ada.requests, ada.changes];
  const operations = parts.flatMap((part) => Object.entries(part).filter(([, each]) => typeof each === 'function'));
  expect(new Set(operations.map(([name]) => name))).toEqual(new Set([...reads, ...recorded]));
});
