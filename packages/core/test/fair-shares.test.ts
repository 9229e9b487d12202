import { createFakeClock, type FaultUpstream, startFaultUpstream } from '@searchgate/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createGateway,
  type GatewayEvent,
  type GatewayOptions,
  memoryApiKeys,
  memoryIdempotency,
  memoryLedger,
} from '../src/index.js';
import type { Provider } from '../src/provider-kit/index.js';
import { exa } from '../src/providers/index.js';
import { failure, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

const MODEL = 'exa/answer';
const DEADLINE_MS = 30_000;
const WAIT_MS = 5_000;
const ORGANIZATIONS = ['attacker', 'victim', 'third'] as const;
type Organization = (typeof ORGANIZATIONS)[number];

const healthyReply = {
  body: JSON.stringify({ answer: 'In May 2021 [1].', citations: [{ url: 'https://example.org/a', title: 'A' }] }),
};
const keyOf = (name: Organization) => `sg_${name}_0123456789abcdef`;

/** A gateway over a real upstream that never answers the question "stall", used by several organizations. */
async function serve(options: Partial<GatewayOptions> = {}, fallback: readonly Provider[] = []) {
  const upstream = await startFaultUpstream({ healthyReply });
  onTestFinished(() => upstream.close());
  await upstream.setFault(({ body }) => (body.includes('stall') ? 'no_bytes' : 'healthy'));
  const clock = createFakeClock(Date.UTC(2026, 10, 26));
  const events: GatewayEvent[] = [];
  const ledger = memoryLedger({ credits: Object.fromEntries(ORGANIZATIONS.map((name) => [name, '10'])), clock });
  const gateway = createGateway({
    providers: [exa({ apiKey: 'k', baseUrl: upstream.url }), ...fallback],
    ledger,
    apiKeys: memoryApiKeys(
      ORGANIZATIONS.map((name) => ({ apiKey: keyOf(name), id: name, label: name, organizationId: name })),
    ),
    clock,
    logger: { warn: () => undefined, error: () => undefined },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  onTestFinished(() => endOf(gateway.close(), clock));
  const ask = (who: Organization, query: string) => gateway.answer({ apiKey: keyOf(who), model: MODEL, query });
  const ofType = (type: GatewayEvent['type']) => events.filter((event) => event.type === type);
  return { gateway, upstream, clock, ledger, ask, ofType };
}

async function endOf(closing: Promise<void>, clock: ReturnType<typeof createFakeClock>): Promise<void> {
  await clock.advance(10 * DEADLINE_MS);
  await closing;
}

/** Asks questions that are never answered, and waits until those with a connection have arrived. */
async function stall(
  { ask, upstream }: { ask: (who: Organization, query: string) => Promise<unknown>; upstream: FaultUpstream },
  { who, times, arrive }: { readonly who: Organization; readonly times: number; readonly arrive: number },
): Promise<{ readonly slow: readonly Promise<unknown>[] }> {
  const before = upstream.requests.length;
  const slow = Array.from({ length: times }, () => reasonOf(ask(who, 'stall')));
  await upstream.served(before + arrive);
  return { slow };
}

describe('the connections to a provider', () => {
  it('are never all taken by one organization with slow questions', async () => {
    const gate = await serve({ maxConnectionsPerProvider: 8, providerFailureThreshold: 1 });
    const { ask, clock, ledger, upstream, ofType } = gate;
    const { slow } = await stall(gate, { who: 'attacker', times: 8, arrive: 6 });
    expect(await ask('victim', 'When?')).toMatchObject({ provider: 'exa' });
    expect((await ledger.organizationTotals('attacker')).held).toBe(8n * 5_000_000n);

    await clock.advance(WAIT_MS);
    expect(await Promise.all(slow.slice(6))).toEqual(['connection_wait_exceeded', 'connection_wait_exceeded']);
    expect(await ledger.organizationTotals('attacker')).toMatchObject({ held: 6n * 5_000_000n, usage: 0n });
    expect(upstream.requests.filter(({ body }) => body.includes('stall'))).toHaveLength(6);
    expect(ofType('provider_paused')).toEqual([]);
    await clock.advance(0);
    expect(ofType('provider_slot_refused')).toMatchObject(
      Array.from({ length: 2 }, () => ({
        provider: 'exa',
        reason: 'connection_wait_exceeded',
        outcome: 'given_up',
        waitedMs: WAIT_MS,
      })),
    );
  });

  it('are refused with an actionable error', async () => {
    const gate = await serve({ maxConnectionsPerProvider: 1, maxConnectionWaitMs: 0 });
    await stall(gate, { who: 'attacker', times: 1, arrive: 1 });
    await expect(gate.ask('victim', 'When?')).rejects.toMatchObject({
      reason: 'connection_wait_exceeded',
      status: 503,
      type: 'service_unavailable',
      retryable: true,
      retryAfterMs: 1_000,
    });
  });

  it('go first to an organization without any when two others have nearly all', async () => {
    const gate = await serve({ maxConnectionsPerProvider: 4, maxInFlight: 400 });
    const { ask, clock, upstream } = gate;
    await stall(gate, { who: 'attacker', times: 3, arrive: 3 });
    await clock.advance(DEADLINE_MS - WAIT_MS + 1);
    await stall(gate, { who: 'third', times: 1, arrive: 1 });
    const waiting = Array.from({ length: 3 }, () => reasonOf(ask('attacker', 'stall')));
    const victim = ask('victim', 'When?');
    await clock.advance(WAIT_MS - 1);
    expect(await victim).toMatchObject({ provider: 'exa' });
    await upstream.served(7);
    expect(upstream.requests.map(({ body }) => body.includes('stall')).slice(4, 5)).toEqual([false]);
    await clock.advance(DEADLINE_MS);
    await Promise.all(waiting);
  });

  it('are not awaited if another model can be asked', async () => {
    const { provider } = scripted('you', [OUTCOME]);
    const gate = await serve({ maxConnectionsPerProvider: 1, fallbacks: { [MODEL]: ['you/answer'] } }, [provider]);
    await stall(gate, { who: 'attacker', times: 1, arrive: 1 });
    expect(await gate.ask('victim', 'When?')).toMatchObject({ provider: 'you' });
  });
});

describe('a wait for a connection', () => {
  /** The test answers the first attempt at exa; the second attempt gets no answer. */
  function slowThenSilent() {
    const answers: (() => void)[] = [];
    const { provider } = scripted('exa', [
      () => new Promise((resolve) => answers.push(() => resolve(OUTCOME))),
      () => new Promise(() => undefined),
    ]);
    return { provider, answer: () => answers[0]?.() };
  }
  const options = {
    maxConnectionsPerProvider: 1,
    maxConnectionWaitMs: 60_000,
    providerFailureThreshold: 1,
    maxAttempts: 2,
  };
  const pausesOf = (events: readonly GatewayEvent[]) => events.filter(({ type }) => type === 'provider_paused');

  it('does not shorten the deadline of the attempt', async () => {
    const { provider, answer } = slowThenSilent();
    const { provider: you } = scripted('you', [failure('query_rejected')]);
    const fallbacks = { [MODEL]: ['you/answer'] };
    const { gateway, ask, clock, events } = start([provider, you], { ...options, fallbacks });
    const first = ask(MODEL);
    const second = reasonOf(ask(MODEL));
    await clock.advance(5_000);
    answer();
    await first;
    await clock.advance(9_999);
    expect(pausesOf(events)).toEqual([]);
    await clock.advance(1);
    expect(await second).toBe('upstream_timeout');
    await gateway.close();
    expect(pausesOf(events)).toMatchObject([{ provider: 'exa', reason: 'upstream_timeout' }]);
  });

  it.each([
    ['is no evidence against the provider where the call runs out of time for it', 5_000, 0],
    ['of no time leaves the evidence as it is', 0, 1],
  ])('%s', async (_name, waitMs, pauses) => {
    const { provider, answer } = slowThenSilent();
    const { gateway, ask, clock, events } = start([provider], options);
    const first = ask(MODEL);
    await clock.advance(0);
    if (waitMs === 0) answer();
    if (waitMs === 0) await first;
    const second = reasonOf(ask(MODEL));
    await clock.advance(waitMs);
    answer();
    await first;
    await clock.advance(10_000 - waitMs);
    expect(await second).toBe('upstream_timeout');
    await gateway.close();
    expect(pausesOf(events)).toHaveLength(pauses);
  });
});

describe('the memory', () => {
  const floodOf = (gate: Awaited<ReturnType<typeof serve>>) =>
    Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        gate.gateway.answer({
          // An attacker may have any number of keys.
          apiKey: { id: `attacker-${index}`, organizationId: 'attacker', limit: null },
          model: MODEL,
          query: `When ${index}?`,
          idempotencyKey: 'order',
        }),
      ),
    );

  it('of finished calls cannot be displaced by another organization: a repeated call is charged once', async () => {
    const gate = await serve({ idempotency: memoryIdempotency({ maxBytes: 65_536 }) });
    const order = () =>
      gate.gateway.answer({ apiKey: keyOf('victim'), model: MODEL, query: 'When?', idempotencyKey: 'order' });
    const first = await order();
    await floodOf(gate);
    expect(await order()).toEqual(first);
    expect(await gate.ledger.organizationTotals('victim')).toMatchObject({ usage: 5_000_000n });
  });

  it('of answers cannot be displaced by another organization', async () => {
    const gate = await serve({ cache: { ttlMs: 60_000, maxEntries: 10 } });
    await gate.ask('victim', 'When?');
    await floodOf(gate);
    const asked = gate.upstream.requests.length;
    expect(asked).toBe(151);
    await gate.ask('victim', 'When?');
    expect(gate.upstream.requests).toHaveLength(asked);
  });
});

describe('a provider that stalls for one organization', () => {
  it('is paused for that organization by its failures, while others are served', async () => {
    const { provider } = scripted('you', [OUTCOME]);
    const gate = await serve({ fallbacks: { [MODEL]: ['you/answer'] }, providerFailureThreshold: 3 }, [provider]);
    const { ask, clock, upstream, ofType, gateway } = gate;
    for (let round = 0; round < 3; round += 1) {
      expect(await ask('victim', 'When?')).toMatchObject({ provider: 'exa' });
      const { slow } = await stall(gate, { who: 'attacker', times: 1, arrive: 1 });
      await clock.advance(DEADLINE_MS);
      // The fallback answers after the first model's whole deadline.
      expect(await slow[0]).toBe('answered');
    }
    const asked = upstream.requests.length;
    expect(await ask('attacker', 'stall')).toMatchObject({ provider: 'you' });
    expect(upstream.requests).toHaveLength(asked);
    expect(await ask('victim', 'When?')).toMatchObject({ provider: 'exa' });
    expect(ofType('provider_paused')).toMatchObject([{ organizationId: 'attacker', reason: 'upstream_timeout' }]);
    expect(gateway.status().providers[0]).toMatchObject({ state: 'serving', pausedForOrganizationIds: ['attacker'] });
  });
});
