import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import {
  type Gateway,
  type IdempotencyStore,
  memoryIdempotency,
  memoryLedger,
  REASONS,
  type Reason,
} from '../src/index.js';
import type { Provider } from '../src/provider-kit/index.js';
import { askOverHttp, latch } from './ask-over-http.js';
import {
  failure,
  OUTCOME,
  scripted as scriptedAs,
  start as startGateway,
  UPSTREAM_REASONS,
} from './scripted-gateway.js';

/** The prices of the scripted provider. */
const MODEL_MS = 10_000;
const GRACE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

const scripted = (...replies: Parameters<typeof scriptedAs>[1]) => scriptedAs('exa', replies);
const hangs = () => new Promise<never>(() => undefined);
const down = () => Promise.reject(new Error('down'));

function start(provider: Provider, options: Parameters<typeof startGateway>[1] = {}) {
  const started = startGateway([provider], { limit: null, maxAttempts: 1, holdGraceMs: GRACE_MS, ...options });
  return { ...started, ask: asker(started.gateway), totals: () => started.ledger.organizationTotals('acme') };
}

interface Asked {
  readonly status: number;
  readonly reason: Reason | null;
  readonly replayed: boolean;
  readonly body: Record<string, unknown>;
}

interface Ask {
  readonly name?: string | null;
  readonly query?: string;
  readonly disconnected?: boolean;
}

/** `POST /api/v1/answer` under an `Idempotency-Key`, by default `order-17`. */
function asker(gateway: Gateway) {
  return async ({ name = 'order-17', query = 'When?', disconnected = false }: Ask = {}): Promise<Asked> => {
    const { status, headers, body } = await askOverHttp(gateway, {
      body: { query },
      headers: name === null ? {} : { 'idempotency-key': name },
      connection: { closed: disconnected },
    });
    const { error } = body as { error?: { reason: Reason } };
    return { status, reason: error?.reason ?? null, replayed: headers['idempotent-replayed'] === 'true', body };
  };
}

const statusesOf = (responses: readonly Asked[]) => responses.map(({ status }) => status).toSorted((a, b) => a - b);

/** Counts the claims that are neither completed nor freed. */
function counted(store: IdempotencyStore = memoryIdempotency()) {
  const open = new Set<string>();
  const idempotency: IdempotencyStore = {
    async claim(request) {
      const result = await store.claim(request);
      if (result.status === 'claimed') open.add(request.claimId);
      return result;
    },
    async complete(claim, response, keepUntilMs) {
      open.delete(claim.claimId);
      return store.complete(claim, response, keepUntilMs);
    },
    async free(claim) {
      open.delete(claim.claimId);
      return store.free(claim);
    },
  };
  return { idempotency, open };
}

describe('a repeated call', () => {
  it('is made and charged once for 100 parallel calls', async () => {
    const exa = scripted(OUTCOME);
    const { ask, totals, clock } = start(exa.provider);
    const responses = await Promise.all(Array.from({ length: 100 }, () => ask()));
    expect(statusesOf(responses)).toEqual([200, ...Array.from({ length: 99 }, () => 409)]);
    expect(exa.calls).toHaveLength(1);
    expect(await totals()).toEqual({ credits: 10_000_000_000n, usage: 5_000_000n, held: 0n });
    await clock.advance(1_000);
    const [answered] = responses.filter(({ status }) => status === 200);
    const repeats = await Promise.all(Array.from({ length: 100 }, () => ask()));
    for (const repeat of repeats) expect(repeat).toEqual({ ...answered, replayed: true });
    expect(exa.calls).toHaveLength(1);
    expect((await totals()).usage).toBe(5_000_000n);
  });

  it('is made again under every other key, and without a key', async () => {
    const exa = scripted(OUTCOME);
    const { ask, totals } = start(exa.provider);
    for (const name of ['order-17', 'order-18', null, null]) expect(await ask({ name })).toMatchObject({ status: 200 });
    expect(exa.calls).toHaveLength(4);
    expect((await totals()).usage).toBe(20_000_000n);
  });

  it.each([
    ['a day', DAY_MS, {}],
    ['as long as the host says', 2_000, { idempotencyTtlMs: 2_000 }],
  ])('is replayed for %s after its end, then made again', async (_what, ttlMs, options) => {
    const exa = scripted(OUTCOME);
    const { ask, clock } = start(exa.provider, options);
    await ask();
    await clock.advance(ttlMs - 1);
    expect(await ask()).toMatchObject({ status: 200, replayed: true });
    await clock.advance(1);
    expect(await ask()).toMatchObject({ status: 200, replayed: false });
    expect(exa.calls).toHaveLength(2);
  });

  it('is replayed though the provider is paused and the money is gone', async () => {
    const exa = scripted(OUTCOME, failure('upstream_auth_failed'));
    const { ask } = start(exa.provider, { limit: '0.0075', providerFailureThreshold: 1 });
    expect(await ask()).toMatchObject({ status: 200, replayed: false });
    expect(await ask({ name: 'order-18' })).toMatchObject({ reason: 'key_limit_reached' });
    expect(await ask()).toMatchObject({ status: 200, replayed: true });
  });

  it('is replayed by another gateway on the same ledger', async () => {
    const ledger = memoryLedger({ credits: { acme: '10.00' } });
    const [one, other] = [scripted(OUTCOME), scripted(OUTCOME)];
    const first = await start(one.provider, { ledger }).ask();
    expect(await start(other.provider, { ledger }).ask()).toEqual({ ...first, replayed: true });
    expect(other.calls).toEqual([]);
  });
});

describe('the store of idempotency keys', () => {
  it('is in memory for a ledger without a store', async () => {
    const { idempotency: _, ...ledger } = memoryLedger({ credits: { acme: '10.00' } });
    const { ask } = start(scripted(OUTCOME).provider, { ledger });
    expect([await ask(), await ask()]).toMatchObject([{ replayed: false }, { replayed: true }]);
  });

  it('is the host’s store in place of the ledger’s', async () => {
    const ledger = memoryLedger({ credits: { acme: '10.00' } });
    const idempotency = memoryIdempotency();
    await start(scripted(OUTCOME).provider, { ledger, idempotency }).ask();
    expect(await start(scripted(OUTCOME).provider, { ledger }).ask()).toMatchObject({ replayed: false });
    expect(await start(scripted(OUTCOME).provider, { idempotency }).ask()).toMatchObject({ replayed: true });
  });
});

describe('a failed call', () => {
  it.each(UPSTREAM_REASONS.filter((reason) => REASONS[reason].retryable))(
    'frees its key after %s, which may pass',
    async (reason) => {
      const exa = scripted(failure(reason), OUTCOME);
      const { idempotency, open } = counted();
      const { ask } = start(exa.provider, { idempotency });
      expect(await ask()).toMatchObject({ reason, replayed: false });
      expect(open.size).toBe(0);
      expect(await ask()).toMatchObject({ status: 200, replayed: false });
      expect(exa.calls).toHaveLength(2);
    },
  );

  it.each(UPSTREAM_REASONS.filter((reason) => !REASONS[reason].retryable))(
    'is replayed after %s, which is permanent',
    async (reason) => {
      const exa = scripted(failure(reason), OUTCOME);
      const { idempotency, open } = counted();
      const { ask } = start(exa.provider, { idempotency });
      const first = await ask();
      expect(first).toMatchObject({ reason, replayed: false });
      expect(open.size).toBe(0);
      expect(await ask()).toEqual({ ...first, replayed: true });
      expect(exa.calls).toHaveLength(1);
    },
  );

  it('frees its key when others hold the rest of the budget', async () => {
    const { reply, open } = latch();
    const { ask, clock } = start(scripted(reply, OUTCOME).provider, { limit: '0.0101' });
    const other = ask({ name: 'order-18' });
    await clock.advance(0);
    const third = await ask({ name: 'order-19' });
    expect(third).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 429, reason: 'budget_in_flight' });
    open();
    await other;
    expect(await ask()).toMatchObject({ status: 402, reason: 'key_limit_reached', replayed: false });
  });

  it('frees its key without credits, and is served under it once there are credits', async () => {
    const ledger = memoryLedger();
    const { idempotency, open } = counted();
    const exa = scripted(OUTCOME);
    const { ask } = start(exa.provider, { ledger, idempotency });
    const refused = { status: 402, reason: 'organization_credits_exhausted', replayed: false };
    expect([await ask(), await ask()]).toMatchObject([refused, refused]);
    expect(open.size).toBe(0);
    await ledger.grant({ grantId: 'paid', organizationId: 'acme', amount: 10_000_000_000n, note: '' });
    const first = await ask();
    expect(first).toMatchObject({ status: 200, replayed: false });
    expect(await ask()).toEqual({ ...first, replayed: true });
    expect(exa.calls).toHaveLength(1);
  });

  it('frees its key when every provider is paused', async () => {
    const exa = scripted(failure('upstream_error'), OUTCOME);
    const { ask, clock } = start(exa.provider, { providerFailureThreshold: 1 });
    await ask({ name: 'order-18' });
    expect(await ask()).toMatchObject({ reason: 'upstream_unavailable' });
    await clock.advance(30_000);
    expect(await ask()).toMatchObject({ status: 200, replayed: false });
  });

  it('frees its key after a bug', async () => {
    const { idempotency, open } = counted();
    const exa = scripted(OUTCOME);
    let calls = 0;
    const newId = () => {
      calls += 1;
      // Ids of the request, of the claim, then of the answer.
      if (calls === 3) throw new TypeError('no more ids');
      return String(calls);
    };
    const { ask } = start(exa.provider, { idempotency, newId });
    expect(await ask()).toMatchObject({ status: 500, reason: 'internal_error' });
    expect(open.size).toBe(0);
    expect(await ask()).toMatchObject({ status: 200, replayed: false });
  });

  it('frees its key when its caller has disconnected before a provider is asked', async () => {
    const exa = scripted(OUTCOME);
    const { ask } = start(exa.provider);
    await ask({ disconnected: true });
    expect(exa.calls).toEqual([]);
    expect(await ask()).toMatchObject({ status: 200, replayed: false });
  });
});

describe('a failing store', () => {
  const broken = (operations: Partial<IdempotencyStore>): IdempotencyStore => ({
    ...memoryIdempotency(),
    ...operations,
  });

  it('lets no call reach a provider while it hangs, and frees a late claim', async () => {
    const real = memoryIdempotency();
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    let isSlow = true;
    const claim: IdempotencyStore['claim'] = async (request) => {
      if (isSlow) await arrived;
      return real.claim(request);
    };
    const exa = scripted(OUTCOME);
    const { ask, clock, totals } = start(exa.provider, { idempotency: { ...real, claim } });
    const first = ask();
    await clock.advance(5_000);
    expect(await first).toMatchObject({ status: 503, reason: 'ledger_unavailable' });
    expect(exa.calls).toEqual([]);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    isSlow = false;
    arrive();
    await clock.advance(0);
    expect(await ask()).toMatchObject({ status: 200, replayed: false });
  });

  it('does not withhold an answer that cannot be stored, and stores it later', async () => {
    const real = memoryIdempotency();
    let failures = 2;
    const complete: IdempotencyStore['complete'] = (...args) => (failures-- > 0 ? down() : real.complete(...args));
    const exa = scripted(OUTCOME);
    const { ask, clock, gateway, events } = start(exa.provider, { idempotency: { ...real, complete } });
    const first = await ask();
    expect(first).toMatchObject({ status: 200 });
    expect(await ask()).toEqual({ ...first, replayed: true });
    await clock.advance(1_000);
    await clock.advance(2_000);
    expect(await ask()).toEqual({ ...first, replayed: true });
    expect(exa.calls).toHaveLength(1);
    await gateway.close();
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['idempotency_failed', 'idempotency_recovered']),
    );
  });

  it.each([
    ['fails', down],
    ['hangs', hangs as never],
  ] as const)('makes no second charge though it %s until long after the claim has expired', async (_how, away) => {
    const real = memoryIdempotency();
    let isAway = true;
    const complete: IdempotencyStore['complete'] = (...args) => (isAway ? away() : real.complete(...args));
    const exa = scripted(OUTCOME);
    const { ask, clock, ledger, totals } = start(exa.provider, { idempotency: { ...real, complete } });
    const asking = ask();
    await clock.advance(5_000);
    const first = await asking;
    await clock.advance(2 * (MODEL_MS + GRACE_MS));
    expect(await ask()).toEqual({ ...first, replayed: true });
    isAway = false;
    await clock.advance(20_000);
    const restarted = start(exa.provider, { idempotency: real, ledger, clock });
    expect(await restarted.ask()).toEqual({ ...first, replayed: true });
    expect(exa.calls).toHaveLength(1);
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('delivers an answer in time though storing it hangs', async () => {
    const { ask, clock } = start(scripted(OUTCOME).provider, { idempotency: broken({ complete: hangs }) });
    const first = ask();
    await clock.advance(5_000);
    expect(await first).toMatchObject({ status: 200, replayed: false });
  });
});

describe('a dead process', () => {
  /** A gateway that never gets a reply from its provider, and another on the same ledger. */
  function startTwo() {
    const clock = createFakeClock(Date.UTC(2026, 10, 21));
    const ledger = memoryLedger({ credits: { acme: '10.00' }, clock });
    const { reply, open } = latch();
    const dead = start(scripted(reply).provider, { ledger, clock: { ...clock, schedule: () => () => undefined } });
    const survivor = start(scripted(OUTCOME).provider, { ledger, clock, expireHoldsEveryMs: 0 });
    return { clock, ledger, dead, survivor, wake: open };
  }

  it('leaves a claim that ends with the hold of its call', async () => {
    const { clock, ledger, dead, survivor } = startTwo();
    void dead.ask();
    await clock.advance(MODEL_MS + GRACE_MS - 1);
    expect(await survivor.ask()).toMatchObject({ reason: 'idempotency_in_progress' });
    expect(await ledger.expireHolds(clock.now())).toBe(0);
    await clock.advance(1);
    expect(await ledger.expireHolds(clock.now())).toBe(1);
    expect(await survivor.ask()).toMatchObject({ status: 200, replayed: false });
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('changes nothing after a mere stall, and logs it', async () => {
    const { clock, dead, survivor, wake } = startTwo();
    const late = dead.ask();
    await clock.advance(MODEL_MS + GRACE_MS);
    const answered = await survivor.ask();
    wake();
    const { body } = await late;
    expect(body).not.toEqual(answered.body);
    expect(await survivor.ask()).toEqual({ ...answered, replayed: true });
    await dead.gateway.close();
    expect(dead.events).toContainEqual(
      expect.objectContaining({ type: 'idempotency_failed', operation: 'complete', final: true }),
    );
  });
});

describe('close', () => {
  it('lets the call in flight end, and stores its answer', async () => {
    const ledger = memoryLedger({ credits: { acme: '10.00' } });
    const { reply, open } = latch();
    const { ask, gateway, clock } = start(scripted(reply).provider, { ledger });
    const first = ask();
    await clock.advance(0);
    const closing = gateway.close();
    expect(await ask()).toMatchObject({ reason: 'shutting_down' });
    open();
    const answered = await first;
    await closing;
    expect(await start(scripted(OUTCOME).provider, { ledger }).ask()).toEqual({ ...answered, replayed: true });
  });

  it('stores answers that could not be stored before', async () => {
    const real = memoryIdempotency();
    let isDown = true;
    const complete: IdempotencyStore['complete'] = (...args) => (isDown ? down() : real.complete(...args));
    const { ask, gateway } = start(scripted(OUTCOME).provider, { idempotency: { ...real, complete } });
    const answered = await ask();
    isDown = false;
    await gateway.close();
    expect(await start(scripted(OUTCOME).provider, { idempotency: real }).ask()).toEqual({
      ...answered,
      replayed: true,
    });
  });
});
