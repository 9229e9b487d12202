import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GatewayEvent } from '@searchgate/core';
import { createFakeClock } from '@searchgate/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deliverWebhooks, type WebhookEvent, type WebhookOptions } from '../src/index.js';
import { type Reply, SECRET, startReceiver, until } from './receiver.js';

const ALERT: Extract<GatewayEvent, { type: 'budget_threshold' }> = {
  type: 'budget_threshold',
  alertId: 'alert_1',
  atMs: Date.UTC(2026, 10, 2, 12),
  subject: 'key',
  organizationId: 'acme',
  keyId: 'key',
  budget: null,
  threshold: '0.8',
  usage: 800_000_001n,
  limit: 1_000_000_000n,
  windowEndsAtMs: null,
};
const paused = (provider: string): GatewayEvent => ({
  type: 'provider_paused',
  atMs: 0,
  provider,
  organizationId: null,
  reason: 'upstream_timeout',
  untilMs: 1_000,
});
const EVENTS: WebhookEvent[] = ['budget_threshold', 'provider_paused'];

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A receiver, and webhooks to it from a gateway whose events the test emits. */
async function start(
  replies: Reply[] = [],
  { isVerifying = true, ...options }: Partial<WebhookOptions> & { isVerifying?: boolean } = {},
) {
  const receiver = await startReceiver(replies, { isVerifying });
  closers.push(receiver.close);
  // The library compares timestamps with the real time.
  const clock = createFakeClock(Date.now());
  const pauses: number[] = [];
  const logged: Record<string, unknown>[] = [];
  const gateway = source();
  const stop = deliverWebhooks(gateway, {
    endpoints: [{ url: receiver.url, secret: SECRET, events: EVENTS }],
    logger: { error: (fields) => logged.push(fields) },
    clock: {
      ...clock,
      schedule(delayMs, callback, background) {
        if (background !== undefined) pauses.push(delayMs);
        return clock.schedule(delayMs, callback, background);
      },
    },
    ...options,
  });
  /** Waits for `count` failed tries, then for the last pause. */
  async function pause(count: number): Promise<void> {
    await until(() => pauses.length === count);
    await clock.advance(pauses.at(-1) ?? 0);
  }
  return { receiver, clock, pauses, pause, logged, stop, ...gateway };
}

/** The part of a gateway that webhooks use. */
function source() {
  const listeners = new Set<(event: GatewayEvent) => unknown>();
  return {
    on(listener: (event: GatewayEvent) => unknown) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** @returns whether the listener has finished with the event, updated live. */
    emit(event: GatewayEvent) {
      const delivery: { isDone: boolean; result?: unknown } = { isDone: false };
      for (const listener of listeners)
        void Promise.resolve(listener(event)).then((result) => Object.assign(delivery, { isDone: true, result }));
      return delivery;
    },
  };
}

describe('an event', () => {
  it('is posted as JSON with amounts in dollars, and with a signature that the library verifies', async () => {
    const { receiver, emit } = await start();
    const delivery = emit(ALERT);
    await until(() => delivery.isDone);
    const { alertId, subject, organizationId, keyId, budget, threshold, windowEndsAtMs } = ALERT;
    const amounts = { usage: '0.800000001', limit: '1' };
    expect(receiver.received.map(({ id, payload }) => ({ id, payload }))).toEqual([
      {
        id: 'alert_1',
        payload: {
          type: 'budget_threshold',
          timestamp: '2026-11-02T12:00:00.000Z',
          data: { alertId, subject, organizationId, keyId, budget, threshold, windowEndsAtMs, ...amounts },
        },
      },
    ]);
    expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
  });

  it('goes only to endpoints that subscribe to it, under one id', async () => {
    const other = await startReceiver();
    closers.push(other.close);
    const first = await startReceiver();
    closers.push(first.close);
    const gateway = source();
    const stop = deliverWebhooks(gateway, {
      endpoints: [
        { url: first.url, secret: SECRET, events: ['provider_paused', 'provider_paused'] },
        { url: other.url, secret: SECRET, events: ['provider_paused', 'budget_threshold'] },
      ],
    });
    gateway.emit(ALERT);
    gateway.emit(paused('exa'));
    gateway.emit({ type: 'holds_expired', atMs: 0, count: 1 });
    await stop();
    expect(first.received.map(({ payload }) => payload.type)).toEqual(['provider_paused']);
    expect(other.received.map(({ payload }) => payload.type)).toEqual(['budget_threshold', 'provider_paused']);
    expect(first.received[0]?.id).toBe(other.received[1]?.id);
    expect(other.received[1]?.id).toMatch(/^event_/);
  });

  it('is sent in order, one request at a time', async () => {
    let open = 0;
    let most = 0;
    const slowly: Reply = (res) => {
      most = Math.max(most, (open += 1));
      setImmediate(() => {
        open -= 1;
        res.writeHead(200).end();
      });
    };
    const { receiver, emit } = await start(Array.from({ length: 50 }, () => slowly));
    const providers = Array.from({ length: 50 }, (_, index) => `provider-${index}`);
    for (const provider of providers) emit(paused(provider));
    await until(() => receiver.received.length === 50);
    expect(receiver.received.map(({ payload }) => payload.data['provider'])).toEqual(providers);
    expect(most).toBe(1);
  });

  it('does not delay others while it is retried, with the same id and a new signature', async () => {
    const { receiver, pause, emit, stop } = await start([500]);
    const [failed, next] = [emit(ALERT), emit(paused('exa'))];
    await until(() => next.isDone);
    expect(failed.isDone).toBe(false);
    await pause(1);
    await until(() => failed.isDone);
    expect(receiver.received.map(({ payload }) => payload.type)).toEqual([
      'budget_threshold',
      'provider_paused',
      'budget_threshold',
    ]);
    const [first, , second] = receiver.received;
    expect(second?.id).toBe(first?.id);
    expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
    await stop();
  });
});

describe('a receiver', () => {
  it('that does not answer gets a retry', async () => {
    const { receiver, clock, pause, emit } = await start([() => undefined], { timeoutMs: 1_000 });
    const delivery = emit(ALERT);
    await until(() => receiver.received.length === 1);
    await clock.advance(1_000);
    await pause(1);
    await until(() => delivery.isDone);
    expect(receiver.received).toHaveLength(2);
  });

  it('that sends Retry-After gets no earlier retry', async () => {
    const later: Reply = (res) => void res.writeHead(429, { 'retry-after': '60' }).end();
    const atDate: Reply = (res) => {
      res.writeHead(503, { 'retry-after': new Date(clock.now() + 120_000).toUTCString() }).end();
    };
    const never: Reply = (res) => void res.writeHead(503, { 'retry-after': 'tomorrow' }).end();
    const { receiver, clock, pauses, pause, emit } = await start([later, atDate, never]);
    const delivery = emit(ALERT);
    for (const tries of [1, 2, 3]) await pause(tries);
    await until(() => delivery.isDone);
    expect(receiver.received).toHaveLength(4);
    expect(pauses[0]).toBe(60_000);
    expect(Math.ceil((pauses[1] ?? 0) / 1_000)).toBe(120);
    expect(pauses[2]).toBeLessThanOrEqual(20_000);
  });

  it('that is gone (410) gets no retry, and is logged', async () => {
    const { receiver, clock, logged, emit } = await start([410]);
    const delivery = emit(paused('exa'));
    await until(() => delivery.isDone);
    expect([receiver.received.length, clock.pendingTimers]).toEqual([1, 0]);
    expect(logged).toEqual([
      {
        endpoint: `127.0.0.1:${receiver.port}`,
        event: 'provider_paused',
        webhookId: expect.stringMatching(/^event_/) as string,
        attempts: 1,
        error: 'status 410',
      },
    ]);
  });

  it('whose addresses all refuse is logged with the error of the first address', async () => {
    const { logged, emit, stop } = await start();
    const refused = new Error('connect ECONNREFUSED ::1:443');
    const fetching = vi.spyOn(globalThis, 'fetch');
    fetching.mockRejectedValue(new TypeError('fetch failed', { cause: new AggregateError([refused]) }));
    emit(ALERT);
    await stop();
    fetching.mockRestore();
    expect(logged).toMatchObject([{ error: refused.message }]);
  });

  it('that fails ten times is given up and logged', async () => {
    const failures = Array.from({ length: 10 }, () => 503);
    const { receiver, clock, pauses, pause, logged, emit } = await start(failures, { isVerifying: false });
    const delivery = emit(paused('exa'));
    for (let tries = 1; tries < 10; tries += 1) await pause(tries);
    await until(() => delivery.isDone);
    expect(logged).toMatchObject([{ attempts: 10, error: 'status 503' }]);
    expect([receiver.requests(), clock.pendingTimers]).toEqual([10, 0]);
    const grown = [5, 10, 20, 40, 80, 160, 320, 600, 600].map((seconds) => seconds * 1_000);
    for (const [index, most] of grown.entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(most / 2);
      expect(pauses[index]).toBeLessThanOrEqual(most);
    }
  });

  it('gets an alert until it accepts it, whatever its earlier replies; only then is the alert delivered', async () => {
    const failures = [410, ...Array.from({ length: 10 }, () => 503)];
    const { receiver, clock, pauses, pause, logged, emit } = await start(failures, { isVerifying: false });
    const delivery = emit(ALERT);
    for (let tries = 1; tries <= 11; tries += 1) {
      await pause(tries);
      expect(delivery.isDone).toBe(false);
    }
    await until(() => delivery.isDone);
    expect([receiver.requests(), clock.pendingTimers, pauses[0]]).toEqual([12, 0, 600_000]);
    expect(pauses[10]).toBeGreaterThanOrEqual(300_000);
    expect(logged).toMatchObject([{ webhookId: 'alert_1', attempts: 10, error: 'status 503' }]);
  });

  it('that is gone does not delay the next event, even if the logger throws', async () => {
    const logger = {
      error: () => {
        throw new Error('a broken logger');
      },
    };
    const { emit, stop, receiver } = await start([410], { logger });
    const given = emit(paused('exa'));
    const taken = emit(paused('you'));
    await until(() => given.isDone && taken.isDone);
    await stop();
    expect(receiver.requests()).toBe(2);
  });

  it('that redirects is not followed', async () => {
    const elsewhere = await startReceiver();
    closers.push(elsewhere.close);
    const redirect: Reply = (res) => void res.writeHead(307, { location: elsewhere.url }).end();
    const { receiver, pause, emit } = await start([redirect]);
    const delivery = emit(ALERT);
    await pause(1);
    await until(() => delivery.isDone);
    expect([receiver.received.length, elsewhere.received.length]).toEqual([2, 0]);
  });

  it('that sends an endless body is not read: its connection is closed', async () => {
    const response = { isClosed: false };
    const endless: Reply = (res) => {
      res.once('close', () => (response.isClosed = true)).writeHead(200);
      const more = () => void (res.destroyed || res.write('x'.repeat(65_536), () => setImmediate(more)));
      more();
    };
    const { emit } = await start([endless]);
    const delivery = emit(ALERT);
    await until(() => delivery.isDone && response.isClosed);
  });

  it('that was down gets the event when it is up again', async () => {
    const { receiver, pauses, pause, emit, stop } = await start();
    for (const close of closers.splice(0)) await close();
    const delivery = emit(ALERT);
    await until(() => pauses.length === 1);
    const again = await startReceiver([], { port: receiver.port });
    closers.push(again.close);
    await pause(1);
    await until(() => delivery.isDone);
    expect(again.received.map(({ id }) => id)).toEqual(['alert_1']);
    await stop();
  });
});

describe('the queue', () => {
  const limited = (organizationId: string, requestId = 'r'): GatewayEvent => ({
    type: 'provider_slot_refused',
    atMs: 0,
    requestId,
    organizationId,
    provider: 'exa',
    model: 'exa/answer',
    reason: 'upstream_rate_limited',
    outcome: 'given_up',
    waitedMs: 0,
  });
  const endpointsOf = (url: string) => [
    { url, secret: SECRET, events: [...EVENTS, 'budget_exhausted', 'provider_slot_refused'] as const },
  ];

  it('delivers an alert before most of another organization’s refusals', async () => {
    const receiver = await startReceiver([500]);
    closers.push(receiver.close);
    const { emit, logged } = await start([], { endpoints: endpointsOf(receiver.url) });
    const refused = Array.from({ length: 39_145 }, (_, index) => emit(limited('attacker', `r${index}`)));
    const alert = emit(ALERT);
    const other = emit(limited('acme', 'its own'));
    await until(() => alert.isDone && other.isDone);
    const ids = receiver.received.map(({ payload }) => payload.data['requestId'] ?? payload.type);
    expect(ids.slice(0, 4)).toEqual(['r0', 'budget_threshold', 'r1', 'its own']);
    // One organization may take a quarter of a type's slots.
    expect(refused.filter(({ result }) => result === false)).toHaveLength(39_145 - 62);
    // Logged once: an attacker must not fill the log.
    const error = 'too many events of this type, or of its organization, are queued';
    expect(logged.filter((fields) => fields['error'] === error)).toMatchObject([
      { event: 'provider_slot_refused', attempts: 0 },
    ]);
  });

  it('has separate room for each type', async () => {
    const receiver = await startReceiver([() => undefined]);
    closers.push(receiver.close);
    const { emit } = await start([], { endpoints: endpointsOf(receiver.url) });
    const lost = async (events: readonly GatewayEvent[]) => {
      const deliveries = events.map((event) => emit(event));
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      return deliveries.filter(({ result }) => result === false).length;
    };
    expect(await lost(Array.from({ length: 300 }, (_, index) => limited(`organization-${index}`)))).toBe(50);
    expect(await lost(Array.from({ length: 300 }, (_, index) => paused(`provider-${index}`)))).toBe(50);
    const alerts = Array.from({ length: 1_000 }, (_, index) => ({ ...ALERT, organizationId: `o-${index % 4}` }));
    expect(await lost(alerts)).toBe(0);
    // Full: one more of this type finds no room, whatever its organization; of another type it does, also in the same organization.
    expect(await lost([{ ...ALERT, organizationId: 'o-4' }])).toBe(1);
    const exhausted = { ...ALERT, type: 'budget_exhausted', wanted: 5n, rest: 4n, organizationId: 'o-0' } as const;
    expect(await lost([exhausted])).toBe(0);
  });
});

describe('stop', () => {
  it('resolves for every caller, and flushes once', async () => {
    const { emit, stop, pauses, receiver } = await start([500, 500]);
    emit(ALERT);
    await until(() => pauses.length === 1);
    await Promise.all([stop(), stop()]);
    await stop();
    expect(receiver.requests()).toBe(2);
  });

  it('retries pending events once, and ignores new events', async () => {
    const { receiver, clock, pauses, emit, stop } = await start([500]);
    const failed = emit(ALERT);
    await until(() => pauses.length === 1);
    await stop();
    await until(() => failed.isDone);
    expect(receiver.received).toHaveLength(2);
    emit(paused('exa'));
    await stop();
    expect([receiver.received.length, clock.pendingTimers]).toEqual([2, 0]);
  });

  it('ends at its time limit, and leaves pending events undelivered', async () => {
    const { receiver, clock, logged, emit, stop } = await start([() => undefined], { flushTimeoutMs: 500 });
    const deliveries = [emit(ALERT), emit(paused('exa'))];
    await until(() => receiver.received.length === 1);
    const stopping = stop();
    await clock.advance(500);
    await stopping;
    await until(() => logged.length === 2);
    expect(logged.map(({ event, error }) => [event, error])).toEqual([
      ['provider_paused', 'closed'],
      ['budget_threshold', 'closed'],
    ]);
    expect(deliveries).toEqual([{ isDone: false }, { isDone: false }]);
  });
});
