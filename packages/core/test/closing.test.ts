import { createFakeClock, fakeProvider } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GatewayRequest,
  isRequestError,
  type Ledger,
  memoryApiKeys,
  memoryIdempotency,
  memoryLedger,
} from '../src/index.js';
import { type AnswerOutcome, type CallContext, type Provider, UpstreamError } from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { KEY } from './scripted-gateway.js';

const DRAIN_MS = 1_000;
const LEDGER_MS = 300;
const DEADLINE_MS = 600_000;
const OUTCOME: AnswerOutcome = { text: 'Open since 2021.', citations: [], cost: {} };
const never = () => new Promise<never>(() => undefined);

/** Answers with the function; its attempts may take ten minutes. */
function providerBy(answer: (context: CallContext) => Promise<AnswerOutcome>): Provider {
  const fake = fakeProvider({ id: 'slow', price: '0.005', models: [{ timeoutMs: DEADLINE_MS }] });
  return { ...fake, answer: { answer: (_request, context) => answer(context) } };
}

function start(options: Partial<GatewayOptions> & { readonly broken?: Partial<Ledger> } = {}) {
  const { broken, ...replaced } = options;
  const clock = createFakeClock();
  /** Timers that keep the process alive. */
  const foreground = new Set<object>();
  const ledger = memoryLedger({ credits: { acme: '10' }, clock });
  const gateway = createGateway({
    providers: [providerBy(() => Promise.resolve(OUTCOME))],
    ledger: { ...ledger, ...broken },
    ...(replaced.authenticate === undefined && {
      apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]),
    }),
    drainTimeoutMs: DRAIN_MS,
    ledgerTimeoutMs: LEDGER_MS,
    expireHoldsEveryMs: 0,
    clock: {
      ...clock,
      schedule(delayMs, callback, background) {
        const timer = {};
        if (background === undefined) foreground.add(timer);
        const cancel = clock.schedule(delayMs, () => {
          foreground.delete(timer);
          callback();
        });
        return () => {
          foreground.delete(timer);
          cancel();
        };
      },
    },
    logger: { warn: () => undefined, error: () => undefined },
    ...replaced,
  });
  return { clock, foreground, gateway, ledger };
}

const request = (more: Partial<GatewayRequest> & { readonly idempotencyKey?: string } = {}): GatewayRequest => {
  const headers = { 'idempotency-key': more.idempotencyKey };
  return { ...requestOf('answer', { headers, body: { model: 'slow/answer', query: 'When?' } }), ...more };
};

const outcomeOf = async (gateway: Gateway, call: GatewayRequest): Promise<string> => {
  const response = await gateway.handle(call);
  const body = JSON.parse(bodyText(response)) as { error?: { reason: string } };
  return body.error?.reason ?? String(response?.status);
};

/** Obstacles to closing, and the expected end of the call that closing ends. */
interface Obstacle {
  readonly options: Parameters<typeof start>[0];
  readonly call?: GatewayRequest;
  readonly ends?: string;
}

const OBSTACLES: Readonly<Record<string, Obstacle>> = {
  'an authenticate hook that never returns': { options: { authenticate: never } },
  'a body that never arrives': { options: {}, call: request({ readBody: never }) },
  'a provider that ignores its signal': { options: { providers: [providerBy(never)] }, ends: 'shutting_down' },
  'a provider that heeds its signal': {
    options: {
      providers: [
        providerBy(
          ({ signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new Error('aborted')));
            }),
        ),
      ],
    },
    ends: 'shutting_down',
  },
  'a long pause before a retry': {
    options: {
      providers: [
        providerBy(() =>
          Promise.reject(new UpstreamError('upstream_rate_limited', { phase: 'headers', retryAfterMs: 50_000 })),
        ),
      ],
      retryMaxDelayMs: 60_000,
    },
    ends: 'shutting_down',
  },
  'a ledger that never holds': { options: { broken: { hold: never } }, ends: 'ledger_unavailable' },
  'a ledger that never settles': { options: { broken: { settle: never } }, ends: '200' },
  'a ledger that never releases': {
    options: { providers: [providerBy(never)], broken: { release: never } },
    ends: 'shutting_down',
  },
  'a ledger that never expires holds': {
    options: { broken: { expireHolds: never }, expireHoldsEveryMs: 1 },
    ends: '200',
  },
  'a store of idempotency keys that never claims': {
    options: { idempotency: { ...memoryIdempotency(), claim: never } },
    call: request({ idempotencyKey: 'a' }),
    ends: 'ledger_unavailable',
  },
  'a store of idempotency keys that never completes': {
    options: { idempotency: { ...memoryIdempotency(), complete: never } },
    call: request({ idempotencyKey: 'a' }),
    ends: '200',
  },
  'a ledger that never releases and a logger that throws': {
    options: {
      providers: [providerBy(never)],
      broken: { release: never },
      logger: {
        warn: () => undefined,
        error: () => {
          throw new Error('logger');
        },
      },
    },
    ends: 'shutting_down',
  },
  'a listener that never returns': { options: { onEvent: never }, ends: '200' },
  'a listener that throws': {
    options: {
      onEvent: () => {
        throw new Error('listener');
      },
    },
    ends: '200',
  },
};

describe('close', () => {
  it.each(Object.entries(OBSTACLES))('ends in time despite %s', async (_name, { options, call = request(), ends }) => {
    const { clock, foreground, gateway } = start(options);
    let ended: string | undefined;
    void outcomeOf(gateway, call).then((outcome) => (ended = outcome));
    await clock.advance(1);

    let closed = false;
    const closing = gateway.close().then(() => (closed = true));
    expect(await outcomeOf(gateway, request())).toBe('shutting_down');
    await clock.advance(DRAIN_MS + 2 * LEDGER_MS);
    expect(closed).toBe(true);
    await closing;
    expect(ends ?? ended).toBe(ended);
    expect(foreground.size).toBe(0);
  });

  it('waits for calls in flight up to the longest deadline by default', async () => {
    let answer: (outcome: AnswerOutcome) => void = () => undefined;
    const slow = providerBy(() => new Promise((resolve) => (answer = resolve)));
    const { clock, gateway, ledger } = start({ providers: [slow], drainTimeoutMs: undefined as never });
    const pending = outcomeOf(gateway, request());
    await clock.advance(0);
    let closed = false;
    const closing = gateway.close().then(() => (closed = true));
    await clock.advance(DEADLINE_MS - 1);
    expect(closed).toBe(false);
    answer(OUTCOME);
    expect(await pending).toBe('200');
    await closing;
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 5_000_000n, held: 0n });
    expect(clock.pendingTimers).toBeLessThanOrEqual(1);
  });

  it('releases aborted calls, records what the provider may bill, and asks no fallback', async () => {
    let attempts = 0;
    const slow = providerBy(() => {
      attempts += 1;
      return never();
    });
    const { clock, gateway, ledger } = start({ providers: [slow] });
    const pending = gateway.answer({ apiKey: KEY, model: 'slow/answer', query: 'When?' });
    pending.catch(() => undefined);
    await clock.advance(0);
    const closing = gateway.close();
    await clock.advance(DRAIN_MS);
    await closing;
    await expect(pending).rejects.toSatisfy((error) => isRequestError(error) && error.reason === 'shutting_down');
    expect(attempts).toBe(1);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
    expect((await ledger.entries()).entries.map(({ kind, amount }) => [kind, amount])).toContainEqual([
      'loss',
      5_000_000n,
    ]);
  });

  it('refuses a call authenticated after it, without touching the ledger', async () => {
    let identify: (identity: { id: string; organizationId: string }) => void = () => undefined;
    const holds: unknown[] = [];
    const { clock, gateway } = start({
      authenticate: () => new Promise((resolve) => (identify = resolve)),
      // The hook's own time limit must not end the call first.
      ledgerTimeoutMs: 2 * DRAIN_MS,
      broken: {
        hold(hold) {
          holds.push(hold);
          return never();
        },
      },
    });
    const pending = outcomeOf(gateway, request());
    const closing = gateway.close();
    await clock.advance(DRAIN_MS);
    identify({ id: 'late', organizationId: 'acme' });
    expect(await pending).toBe('shutting_down');
    await closing;
    expect(holds).toEqual([]);
  });

  it('may be called again, with the same result', async () => {
    const { gateway } = start();
    await Promise.all([gateway.close(), gateway.close()]);
    await gateway.close();
  });
});
