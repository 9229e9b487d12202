import { createHash } from 'node:crypto';
import { type ApiKeyRecord, type Budget, type ClaimRequest, dayOf } from '@searchgate/core/ledger';
import { auditRecordAt } from '@searchgate/testing';
import type { SqliteLedger } from '../src/index.js';
import { MS_BETWEEN_ENTRIES } from './fill-ledger.js';
import { budgetOf, chargeOf, grantOf, holdOf, loggedOf, NOW_MS } from './requests.js';

export { loggedOf, NOW_MS } from './requests.js';

export const FIRST_GRANT = grantOf({ grantId: 'first', amount: 1_000_000n });

/** A part in the middle of any log of a thousand entries or more. */
const inside = { fromMs: 200 * MS_BETWEEN_ENTRIES, toMs: 900 * MS_BETWEEN_ENTRIES };
/** Days of the sums of {@link fillLedger} with {@link NOW_MS}. */
const days = { fromDay: dayOf(NOW_MS) - 30, toDay: dayOf(NOW_MS) - 5 };
const busy = { organizationId: 'busy-1' };
const busyKey = { keyId: 'busy-1' };
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

function claimOf(id: string): ClaimRequest {
  const name = { keyId: 'key-1', idempotencyKey: id, claimId: id };
  return { ...name, fingerprint: hashOf(id), nowMs: NOW_MS, expiresAtMs: NOW_MS + 60_000 };
}

function keyOf(id: string): ApiKeyRecord {
  const spending = { limit: null, limitReset: null, allowedModels: null };
  const times = { createdAtMs: NOW_MS, expiresAtMs: null, revokedAtMs: null };
  return { id, hash: hashOf(id), organizationId: 'acme', label: '', ...spending, ...times };
}

function limitOf(id: string): Budget {
  return { organizationId: 'acme', id, limit: 10n, limitReset: null, mode: 'enforce', createdAtMs: NOW_MS };
}

const SEALED = { organizationId: 'acme', sealed: 'x', hostKeyId: 'old', lastCharacters: '', createdAtMs: NOW_MS };

const LAST_HOURS = { of: 'calls', step: 'hour', sinceMs: NOW_MS - 5 * 3_600_000, untilMs: NOW_MS + 1 } as const;

const rate = { requests: 1_000, periodMs: 60_000 };
const LIMITS = {
  keyRateLimit: rate,
  organizationRateLimit: rate,
  keyMaxConcurrent: 1_000,
  organizationMaxConcurrent: 1_000,
};

/** Everything a ledger can be asked but an audit. It has been given the grant `first`; `id` is another one each time. Names begin with the method. */
export const EVERY_OPERATION: Readonly<Record<string, (ledger: SqliteLedger, id: string) => Promise<unknown>>> = {
  grant: (ledger, grantId) => ledger.grant(grantOf({ grantId })),
  'grant: again': (ledger) => ledger.grant(FIRST_GRANT),
  adjust: (ledger, id) =>
    ledger.adjust({ adjustmentId: id, organizationId: 'acme', keyId: 'key-1', amount: 0n, note: '' }),
  'adjust: in budgets': (ledger, id) =>
    ledger.adjust({ adjustmentId: id, organizationId: 'acme', budgets: ['other-7', id], amount: 1n, note: '' }),
  hold: (ledger, holdId) => ledger.hold(holdOf({ holdId })),
  'settle: with a tag': async (ledger, holdId) => {
    await ledger.hold(holdOf({ holdId, tag: 'team-a' }));
    await ledger.settle(holdId, chargeOf());
  },
  'settle: in budgets': async (ledger, holdId) => {
    await ledger.hold(holdOf({ holdId, budgets: [budgetOf({ id: holdId }), budgetOf({ limit: null })] }));
    await ledger.settle(holdId, chargeOf());
  },
  'settle: with a key of its own': async (ledger, holdId) => {
    await ledger.hold(holdOf({ holdId }));
    await ledger.settle(holdId, chargeOf({ upstreamCost: 0n, tenantCost: 5n }));
  },
  'hold: refused': (ledger, holdId) => ledger.hold(holdOf({ holdId, amount: 10n ** 12n })),
  'hold: with limits': (ledger, holdId) => ledger.hold(holdOf({ holdId, ...LIMITS })),
  admit: (ledger, keyId) => ledger.admit({ organizationId: 'acme', keyId, ...LIMITS }),
  ratesUsed: (ledger) => ledger.ratesUsed({ organizationId: 'acme', keyId: 'key-1', ...LIMITS }),
  settle: async (ledger, holdId) => {
    await ledger.hold(holdOf({ holdId }));
    await ledger.settle(holdId, chargeOf());
  },
  release: async (ledger, holdId) => {
    await ledger.hold(holdOf({ holdId }));
    await ledger.release(holdId, { reason: 'failed' });
  },
  expireHolds: async (ledger, holdId) => {
    await ledger.hold(holdOf({ holdId, expiresAtMs: NOW_MS }));
    await ledger.expireHolds(NOW_MS);
    await ledger.settle(holdId, chargeOf());
  },
  organizationTotals: (ledger) => ledger.organizationTotals('busy-1'),
  keyTotals: (ledger) => ledger.keyTotals('busy-1', 'daily'),
  budgetTotals: (ledger) => ledger.budgetTotals('busy-1', [budgetOf({ id: 'other-8', limitReset: 'daily' })]),
  usage: (ledger) => ledger.usage({ by: 'organization' }),
  'usage: by key, from a day': (ledger) => ledger.usage({ by: 'key', fromDay: days.fromDay }),
  'usage: by model, up to a day': (ledger) => ledger.usage({ by: 'model', toDay: days.toDay, after: 'model-1' }),
  'usage: by tag, of some days': (ledger) => ledger.usage({ by: 'tag', ...days }),
  'usage: by tag, of an organization': (ledger) => ledger.usage({ by: 'tag', ...busy, ...days }),
  'usage: by model, of a key': (ledger) => ledger.usage({ by: 'model', ...busyKey, ...days }),
  'usage: by model, of both': (ledger) => ledger.usage({ by: 'model', ...busy, ...busyKey, ...days }),
  'usage: by budget, of an organization': (ledger) => ledger.usage({ by: 'budget', ...busy, ...days }),
  'usage: by key, of a budget': (ledger) => ledger.usage({ by: 'key', budget: 'user', toDay: days.toDay }),
  'usage: by day, of a budget': (ledger) => ledger.usage({ by: 'day', budget: 'user', ...days, limit: 10 }),
  'usage: by day': (ledger) => ledger.usage({ by: 'day', limit: 10 }),
  'usage: by day, of an organization': (ledger) => ledger.usage({ by: 'day', ...busy, ...days, limit: 10 }),
  'usage: by day, of a key': (ledger) => ledger.usage({ by: 'day', ...busyKey, ...days, limit: 10 }),
  findHold: (ledger) => ledger.findHold('old-7'),
  entries: (ledger) => ledger.entries(),
  'entries: from a cursor': (ledger) => ledger.entries({ cursor: '500' }),
  'entries: of a time': (ledger) => ledger.entries(inside),
  'entries: before a time': (ledger) => ledger.entries({ toMs: inside.toMs }),
  'entries: before all times': (ledger) => ledger.entries({ toMs: 1 }),
  'entries: from a time': (ledger) => ledger.entries({ fromMs: inside.fromMs }),
  'entries: of an organization': (ledger) => ledger.entries(busy),
  'entries: of an organization and a time': (ledger) => ledger.entries({ ...busy, ...inside }),
  'entries: of a key': (ledger) => ledger.entries(busyKey),
  'entries: of a key and a time': (ledger) => ledger.entries({ ...busyKey, ...inside }),
  'entries: of both': (ledger) => ledger.entries({ ...busy, ...busyKey }),
  'entries: of an unknown organization': (ledger) => ledger.entries({ organizationId: 'unknown', ...inside }),
  removeEntries: async (ledger) => {
    const { nextCursor } = await ledger.entries({ limit: 5 });
    await ledger.removeEntries(nextCursor ?? '');
  },
  claim: (ledger, id) => ledger.idempotency.claim(claimOf(id)),
  complete: async (ledger, id) => {
    await ledger.idempotency.claim(claimOf(id));
    await ledger.idempotency.complete(claimOf(id), { status: 200, body: '{}' }, NOW_MS);
    await ledger.idempotency.complete(claimOf(id), { status: 200, body: '{}' }, NOW_MS);
  },
  free: async (ledger, id) => {
    await ledger.idempotency.claim(claimOf(id));
    await ledger.idempotency.free(claimOf(id));
  },
  findByHash: (ledger) => ledger.apiKeys.findByHash('hash-7'),
  insertKey: (ledger, id) => ledger.apiKeys.insertKey(keyOf(id)),
  findKey: (ledger) => ledger.apiKeys.findKey('other-7'),
  updateKey: (ledger, label) => ledger.apiKeys.updateKey('other-7', { label }),
  listKeys: async (ledger) => {
    const { nextCursor } = await ledger.apiKeys.listKeys();
    await ledger.apiKeys.listKeys({ cursor: nextCursor ?? '' });
  },
  'listKeys: of an organization': async (ledger) => {
    const { nextCursor } = await ledger.apiKeys.listKeys(busy);
    await ledger.apiKeys.listKeys({ ...busy, cursor: nextCursor ?? '' });
  },
  setBudget: (ledger, id) => ledger.apiKeys.setBudget(limitOf(id)),
  findBudget: (ledger) => ledger.apiKeys.findBudget('acme', 'other-7'),
  listBudgets: async (ledger) => {
    const { nextCursor } = await ledger.apiKeys.listBudgets('acme');
    await ledger.apiKeys.listBudgets('acme', { cursor: nextCursor ?? '' });
  },
  deleteBudget: async (ledger, id) => {
    await ledger.apiKeys.setBudget(limitOf(id));
    await ledger.apiKeys.deleteBudget('acme', id);
  },
  'findByHash: with budgets': async (ledger, id) => {
    await ledger.apiKeys.insertKey({ ...keyOf(id), budgets: ['other-7'] });
    await ledger.apiKeys.updateKey(id, { budgets: ['other-7', 'other-9'] });
    await ledger.apiKeys.findByHash(hashOf(id));
  },
  insertOrganization: (ledger, id) =>
    ledger.apiKeys.insertOrganization({ id, name: null, createdAtMs: NOW_MS, suspendedAtMs: null }),
  findOrganization: (ledger) => ledger.apiKeys.findOrganization('other-7'),
  updateOrganization: (ledger, name) => ledger.apiKeys.updateOrganization('other-7', { name }),
  listOrganizations: async (ledger) => {
    const { nextCursor } = await ledger.apiKeys.listOrganizations();
    await ledger.apiKeys.listOrganizations({ cursor: nextCursor ?? '' });
  },
  append: (ledger, id) => ledger.requests.append([loggedOf(id)]),
  'find: everything': (ledger) => ledger.requests.find({}, { limit: 5 }),
  'find: between two times': (ledger) =>
    ledger.requests.find({ sinceMs: NOW_MS - 5, untilMs: NOW_MS }, { limit: 5, cursor: `${NOW_MS}.req` }),
  'find: of a key': (ledger) => ledger.requests.find({ ...busyKey, status: 2 }, { limit: 5 }),
  'find: of a tag': (ledger) => ledger.requests.find({ tag: 'tag-7', rescued: false }, { limit: 5 }),
  'find: of an organization': (ledger) => ledger.requests.find({ organizations: ['busy'] }, { limit: 5 }),
  'find: failed': (ledger) => ledger.requests.find({ status: 5 }, { limit: 5 }),
  'find: of a model': (ledger) => ledger.requests.find({ model: 'exa/3', provider: 'exa' }, { limit: 5 }),
  'find: of a budget': (ledger) => ledger.requests.find({ organizations: ['busy-1'], budget: 'user' }, { limit: 5 }),
  'find: that asked a provider': (ledger) =>
    ledger.requests.find({ attempted: 'exa', minCost: 1n, minDurationMs: 1, minAttempts: 2 }, { limit: 5 }),
  statistics: (ledger) => ledger.requests.statistics({ ...LAST_HOURS, by: ['model', 'atMs'], outcome: 'answered' }),
  'append: texts': (ledger, id) =>
    ledger.requests.texts.append([{ ...loggedOf(id), requestId: id, question: 'Who?', answer: null, isCut: false }]),
  'find: texts': (ledger) => ledger.requests.texts.find(['append:-texts']),
  'erase: texts': (ledger) => ledger.requests.texts.erase({ organizationId: 'busy', keyId: 'busy' }),
  'prune: texts': (ledger) => ledger.requests.texts.prune(0),
  'statistics: of an organization': (ledger) =>
    ledger.requests.statistics({ ...LAST_HOURS, by: [], organizations: ['busy-1'] }),
  'statistics: of two': (ledger) =>
    ledger.requests.statistics({ ...LAST_HOURS, by: ['organizationId'], organizations: ['busy-1', 'busy-2'] }),
  get: (ledger, id) => ledger.requests.get(id),
  organizations: (ledger) => ledger.requests.organizations(5),
  prune: (ledger) => ledger.requests.prune({ beforeMs: 0, maxRows: 1_000_000, sumsBeforeMs: { hour: 0, day: 0 } }),
  erase: (ledger) => ledger.requests.erase('unknown'),
  eraseBudget: async (ledger, requestId) => {
    await ledger.requests.append([{ ...loggedOf(requestId), organizationId: 'few-calls' }]);
    await ledger.requests.eraseBudget('few-calls', 'user');
  },
  put: (ledger, providerId) => ledger.tenantKeys.put({ ...SEALED, providerId }),
  'put: sealed again': async (ledger, providerId) => {
    await ledger.tenantKeys.put({ ...SEALED, providerId });
    await ledger.tenantKeys.put({ ...SEALED, providerId, hostKeyId: 'new' }, 'x');
  },
  list: (ledger) => ledger.tenantKeys.list('other-7'),
  listSealedByOthers: (ledger) => ledger.tenantKeys.listSealedByOthers('host-1'),
  delete: (ledger) => ledger.tenantKeys.delete('other-7', 'you'),
  beat: (ledger, id) => ledger.instances.beat({ id, name: id, startedAtMs: NOW_MS, seenAtMs: NOW_MS }),
  living: (ledger) => ledger.instances.living(NOW_MS),
  'append: a change': (ledger, id) => ledger.changes.append({ ...auditRecordAt(0), id: `change_${id}` }),
  'find: changes': (ledger) => ledger.changes.find({}, { limit: 5 }),
  'erase: changes': (ledger) => ledger.changes.erase('unknown'),
};
