import {
  createFakeClock,
  FAULT_EXPECTATIONS,
  FAULTS,
  type Fault,
  type FaultUpstream,
  type Health,
  startFaultUpstream,
} from '@searchgate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assembleGateway } from '../src/gateway.js';
import { type Gateway, type GatewayEvent, type Ledger, memoryApiKeys, memoryLedger, REASONS } from '../src/index.js';
import { exa, perplexity } from '../src/providers/index.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { KEY } from './scripted-gateway.js';

const UPSTREAM_SECRET = 'exa-key-that-must-never-leave-0123456789';
const DEADLINE_MS = 30_000;
const EXA_PRICE = 5_000_000n;
const SONAR_COST = 3_350_000n;

const EXA_REPLY = JSON.stringify({
  requestId: 'r1',
  answer: 'It opened in May 2021 [1].',
  citations: [{ id: 'https://example.org/zephyr', url: 'https://example.org/zephyr', title: 'Zephyr Bridge opens' }],
  costDollars: { total: 0.005 },
});
const SONAR_REPLY = JSON.stringify({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  error: null,
  model: 'perplexity/sonar',
  output: [
    {
      type: 'search_results',
      queries: ['q'],
      results: [{ id: 1, title: 'Zephyr', url: 'https://example.org/z', snippet: 'On 14 May.' }],
    },
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'In May 2021.[1]', annotations: [] }],
    },
  ],
  usage: { input_tokens: 2_800, output_tokens: 60, cost: { currency: 'USD', total_cost: 0.00335 } },
});

/** The view of caller, log and operator on each fault without a fallback. Retried faults use all three attempts. */
const RETRIED: ReadonlySet<Fault> = new Set([
  'status_429',
  'status_429_retry_after',
  'status_500',
  'status_503',
  'connection_refused',
  'connection_reset',
]);
/** The result of a timed out call is unknown: the operator may owe its list price. */
const LOSSES = new Map<Fault, bigint>([
  ['no_bytes', EXA_PRICE],
  ['headers_then_stall', EXA_PRICE],
  ['slow_drip', EXA_PRICE],
]);

let broken: FaultUpstream;
let healthy: FaultUpstream;

beforeAll(async () => {
  const emptyAnswer = { body: '{"answer":"","citations":[],"costDollars":{"total":0}}' };
  broken = await startFaultUpstream({ healthyReply: { body: EXA_REPLY }, replies: { empty_answer: emptyAnswer } });
  healthy = await startFaultUpstream({ healthyReply: { body: SONAR_REPLY } });
});
afterAll(async () => {
  await broken.close();
  await healthy.close();
});

interface Setup {
  readonly gateway: Gateway;
  readonly ledger: Ledger;
  readonly events: GatewayEvent[];
  ask(
    fault: Fault | Health,
  ): Promise<{ status: number; body: Record<string, never>; headers: Readonly<Record<string, string>>; text: string }>;
}

function start(fallbacks: Record<string, string[]>): Setup {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const events: GatewayEvent[] = [];
  const ledger = memoryLedger({ credits: { acme: '10.00' }, clock });
  const gateway = assembleGateway(
    {
      providers: [
        exa({ apiKey: UPSTREAM_SECRET, baseUrl: broken.url }),
        perplexity({ apiKey: 'pplx-other', baseUrl: healthy.url }),
      ],
      apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: '1.00' }]),
      ledger,
      fallbacks,
      clock,
      models: { 'exa/answer': { timeoutMs: DEADLINE_MS } },
      maxUpstreamBytes: 65_536,
      retryBaseDelayMs: 0,
      logger: { warn: () => undefined, error: () => undefined },
      onEvent: (event) => void events.push(event),
    },
    { random: () => 0 },
  );

  async function ask(fault: Fault | Health) {
    const before = broken.requests.length;
    await broken.setFault(fault);
    const bytes = Buffer.from('{"model":"exa/answer","query":"When did the Zephyr Bridge open?"}');
    const responding = gateway.handle({ ...requestOf('answer'), readBody: () => Promise.resolve({ bytes }) });
    const progress = { ended: false };
    void responding.finally(() => (progress.ended = true));
    const stalls = fault in FAULT_EXPECTATIONS && FAULT_EXPECTATIONS[fault as Fault].reason === 'upstream_timeout';
    if (stalls) {
      await broken.served(before + 1);
      await clock.advance(DEADLINE_MS);
    }
    // A retry waits for the clock, which must not pass the deadline of a running attempt: one pause per failed attempt.
    const pauseMs = fault === 'status_429_retry_after' ? 2_000 : 0;
    for (let paused = 0; !progress.ended; ) {
      await new Promise((resolve) => setImmediate(resolve));
      if (events.filter(({ type }) => type === 'attempt_finished').length === paused) continue;
      paused += 1;
      await clock.advance(pauseMs);
    }
    const response = await responding;
    if (response === undefined) throw new Error('the path was not ours');
    const text = bodyText(response);
    const { status, headers } = response;
    return { status, headers, text, body: JSON.parse(text) as Record<string, never> };
  }
  return { gateway, ledger, events, ask };
}

async function moneyOf(ledger: Ledger) {
  const { usage, held } = await ledger.organizationTotals('acme');
  const { entries } = await ledger.entries({ keyId: 'key' });
  return { usage, held, entries: entries.map(({ kind, amount }) => [kind, amount]) };
}

describe('the fault matrix without a fallback', () => {
  it.each(FAULTS)('%s ends in the documented error and is never charged', async (fault) => {
    const { gateway, ledger, events, ask } = start({});
    const { reason, phase, status: upstreamStatus } = FAULT_EXPECTATIONS[fault];
    const { status, body, text, headers } = await ask(fault);
    const attempts = RETRIED.has(fault) ? 3 : 1;

    expect([status, body['error']]).toEqual([
      REASONS[reason].status,
      {
        code: REASONS[reason].status,
        type: REASONS[reason].type,
        reason,
        message: REASONS[reason].message,
        param: null,
        retryable: REASONS[reason].retryable,
        request_id: headers['x-request-id'],
        metadata: { provider: 'exa', model: 'exa/answer', attempts, upstream_status: upstreamStatus, phase },
      },
    ]);
    expect(text).not.toContain(UPSTREAM_SECRET);
    expect('retry-after' in headers).toBe(status === 503);

    const loss = LOSSES.get(fault);
    expect(await moneyOf(ledger)).toEqual({ usage: 0n, held: 0n, entries: loss === undefined ? [] : [['loss', loss]] });
    await gateway.close();
    const attemptEvents = events.filter((event) => event.type === 'attempt_finished');
    expect(attemptEvents).toHaveLength(attempts);
    const attempt = { provider: 'exa', outcome: reason, phase, upstreamStatus, cost: loss ?? null };
    expect(attemptEvents[0]).toMatchObject(attempt);
    expect(events.filter((event) => event.type === 'request_finished')).toEqual([
      expect.objectContaining({ status, reason, cost: null, attempts, provider: null }),
    ]);
    expect(
      JSON.stringify(events, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(UPSTREAM_SECRET);
  });
});

describe('the fault matrix with a healthy fallback', () => {
  it.each(FAULTS)('%s ends in 200 from the fallback, charged once at its cost', async (fault) => {
    const { gateway, ledger, events, ask } = start({ 'exa/answer': ['perplexity/sonar'] });
    const { status, body } = await ask(fault);

    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^ans_/),
        model: 'perplexity/sonar',
        provider: 'perplexity',
        answer: 'In May 2021.[1]',
        citations: [{ title: 'Zephyr', url: 'https://example.org/z', snippet: 'On 14 May.' }],
        usage: { cost: 0.00335 },
      },
    ]);
    const loss = LOSSES.get(fault);
    const { entries, ...totals } = await moneyOf(ledger);
    expect(totals).toEqual({ usage: SONAR_COST, held: 0n });
    expect(entries).toHaveLength(loss === undefined ? 1 : 2);
    expect(entries).toEqual(
      expect.arrayContaining([['charge', SONAR_COST], ...(loss === undefined ? [] : [['loss', loss]])]),
    );
    await gateway.close();
    const outcomes = events.flatMap((event) =>
      event.type === 'attempt_finished' ? [[event.provider, event.outcome]] : [],
    );
    expect(outcomes).toEqual([
      ['exa', FAULT_EXPECTATIONS[fault].reason],
      ['perplexity', 'answered'],
    ]);
  });

  it.each(['healthy', 'healthy_after_informational'] as const)('asks no fallback when it is %s', async (health) => {
    const { gateway, ledger, ask } = start({ 'exa/answer': ['perplexity/sonar'] });
    const before = healthy.requests.length;
    expect((await ask(health)).body).toMatchObject({ model: 'exa/answer', usage: { cost: 0.005 } });
    expect(healthy.requests).toHaveLength(before);
    expect((await moneyOf(ledger)).entries).toEqual([['charge', EXA_PRICE]]);
    await gateway.close();
  });
});
