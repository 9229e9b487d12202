import { createFakeClock, ledgerConformance } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createLedger, type LedgerEngine, stateOperations } from './create-ledger.js';
import { createDurableLedger, type DurableLedger, type DurableLedgerEngine } from './durable-ledger.js';
import { createMemoryState, expireDueHolds } from './memory-state.js';

/** A host's own engine: only the bare operations, each answered some turns later. */
function slowEngine(clock = createFakeClock()): LedgerEngine {
  const state = createMemoryState(clock, 10_000);
  const later = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve();
    return work();
  };
  return {
    ...stateOperations((operation, ...values) => later(() => operation(state, ...values))),
    expireHolds: (nowMs) => later(() => expireDueHolds(state, nowMs)),
    usage: (query) => later(() => state.usage.read(query)),
    findHold: (holdId) => later(() => state.findHold(holdId)),
    entries: (query) => later(() => state.log.page(query)),
  };
}

describe("a ledger over a host's own engine", () => {
  ledgerConformance({
    describe,
    it,
    randomRuns: 5,
    supports: { clock: true },
    create: async () => {
      const clock = createFakeClock();
      const ledger = createLedger(slowEngine(clock));
      return { ledger, ...clock, dispose: () => ledger.close() };
    },
  });
});

const ORGANIZATION = { id: 'acme', name: null, createdAtMs: 1, suspendedAtMs: null };
const UNLIMITED = { limit: null, limitReset: null, allowedModels: null, expiresAtMs: null, revokedAtMs: null };
const KEY = { id: 'key-1', hash: 'a'.repeat(64), organizationId: 'acme', label: '', createdAtMs: 1, ...UNLIMITED };
const CLAIM = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1', fingerprint: 'a'.repeat(64) };
const REQUEST = { ...CLAIM, nowMs: 1, expiresAtMs: 2 };
const OWNER = { organizationId: 'acme', keyId: 'key-1', keyLimit: null };
const HOLD = { holdId: 'hold-1', ...OWNER, amount: 1n, expiresAtMs: 1, model: 'exa/answer' };
const CHARGE = { cost: 1n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;

const OPERATIONS: Record<string, (ledger: DurableLedger) => Promise<unknown>> = {
  grant: (ledger) => ledger.grant({ grantId: 'grant-1', organizationId: 'acme', amount: 1n, note: '' }),
  adjust: (ledger) => ledger.adjust({ adjustmentId: 'a', organizationId: 'acme', amount: 1n, note: '' }),
  hold: (ledger) => ledger.hold(HOLD),
  settle: (ledger) => ledger.settle('hold-1', CHARGE),
  release: (ledger) => ledger.release('hold-1', { reason: '' }),
  expireHolds: (ledger) => ledger.expireHolds(1),
  organizationTotals: (ledger) => ledger.organizationTotals('acme'),
  keyTotals: (ledger) => ledger.keyTotals('key-1'),
  usage: (ledger) => ledger.usage({ by: 'day' }),
  findHold: (ledger) => ledger.findHold('hold-1'),
  entries: (ledger) => ledger.entries(),
  removeEntries: (ledger) => ledger.removeEntries('1'),
  migrate: (ledger) => ledger.migrate(),
  audit: (ledger) => ledger.audit(),
  findByHash: ({ apiKeys }) => apiKeys.findByHash('a'.repeat(64)),
  insertKey: ({ apiKeys }) => apiKeys.insertKey(KEY),
  findKey: ({ apiKeys }) => apiKeys.findKey('key-1'),
  updateKey: ({ apiKeys }) => apiKeys.updateKey('key-1', {}),
  listKeys: ({ apiKeys }) => apiKeys.listKeys(),
  insertOrganization: ({ apiKeys }) => apiKeys.insertOrganization(ORGANIZATION),
  findOrganization: ({ apiKeys }) => apiKeys.findOrganization('acme'),
  updateOrganization: ({ apiKeys }) => apiKeys.updateOrganization('acme', {}),
  listOrganizations: ({ apiKeys }) => apiKeys.listOrganizations(),
  claim: ({ idempotency }) => idempotency.claim(REQUEST),
  complete: ({ idempotency }) => idempotency.complete(CLAIM, { status: 200, body: '' }, 1),
  free: ({ idempotency }) => idempotency.free(CLAIM),
};

/** An engine that notes what it is asked for, and answers when the test says so. */
function recordingEngine() {
  const calls: string[] = [];
  const endings: (() => void)[] = [];
  const record = (part: object, name: string) =>
    Object.defineProperty(part, name, {
      enumerable: true,
      value: () => {
        calls.push(name);
        return new Promise((resolve) => {
          endings.push(() => resolve(name === 'insertKey' ? true : name.startsWith('list') ? [] : undefined));
        });
      },
    });
  const engine = { close: () => void calls.push('close'), apiKeys: {}, idempotency: {}, requests: { texts: {} } };
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const source = String(operation);
    const part = source.includes('apiKeys.')
      ? engine.apiKeys
      : source.includes('idempotency.')
        ? engine.idempotency
        : engine;
    record(part, name);
  }
  const ledger = createDurableLedger(engine as unknown as DurableLedgerEngine);
  const end = () => {
    for (const ending of endings.splice(0)) ending();
  };
  return { ledger, calls, end };
}

const turn = () => new Promise(setImmediate);

describe('createDurableLedger', () => {
  it.each(Object.entries(OPERATIONS))('lets close wait for %s, and refuses it afterwards', async (name, operation) => {
    const { ledger, calls, end } = recordingEngine();
    const running = operation(ledger);
    const closing = ledger.close();
    await turn();
    expect(calls).toEqual([name]);
    end();
    await Promise.all([running, closing]);
    expect(calls).toEqual([name, 'close']);
    await expect(operation(ledger)).rejects.toMatchObject({ reason: 'ledger_closed' });
    expect(calls).toEqual([name, 'close']);
  });

  it('closes its engine once, however often it is closed', async () => {
    const { ledger, calls } = recordingEngine();
    await Promise.all([ledger.close(), ledger.close()]);
    await ledger.close();
    expect(calls).toEqual(['close']);
  });

  it('does not call its engine with a wrong argument', async () => {
    const { ledger, calls } = recordingEngine();
    const { apiKeys, idempotency } = ledger;
    const wrong = [
      ledger.grant({ grantId: '', organizationId: 'acme', amount: 1n, note: '' }),
      ledger.hold({ ...HOLD, amount: -1n }),
      ledger.keyTotals('two words'),
      ledger.usage({ by: 'day', fromDay: -1 }),
      ledger.findHold('two words'),
      ledger.entries({ limit: 0 }),
      apiKeys.findKey(''),
      apiKeys.insertKey({ ...KEY, hash: 'short' }),
      apiKeys.listKeys({ cursor: '?' }),
      idempotency.claim({ ...REQUEST, fingerprint: '' }),
    ];
    const reasons = wrong.map((call) =>
      call.then(
        () => 'none',
        (error: { reason?: string }) => error.reason,
      ),
    );
    const [id, amount, argument] = ['invalid_id', 'invalid_amount', 'invalid_argument'];
    expect(await Promise.all(reasons)).toEqual([
      id,
      amount,
      id,
      argument,
      id,
      argument,
      id,
      argument,
      'invalid_cursor',
      argument,
    ]);
    expect(calls).toEqual([]);
  });

  it('rejects with the error of the engine', async () => {
    const broken = new Error('the engine is broken');
    const ledger = createLedger({
      ...slowEngine(),
      hold() {
        throw broken;
      },
    });
    await expect(ledger.hold(HOLD)).rejects.toBe(broken);
    await ledger.close();
  });
});
