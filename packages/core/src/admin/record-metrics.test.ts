import { describe, expect, it } from 'vitest';
import type { EventListener, GatewayEvent, RequestFinished } from '../base/events/events.js';
import type { AttemptFinished } from '../base/events/provider-events.js';
import { METRICS, type MetricName } from './metric-table.js';
import { type RecordMetric, recordGauges, recordMetrics } from './record-metrics.js';

type Recorded = [name: MetricName, value: number, labels: Readonly<Record<string, string>>];

/** What the events of a gateway with one model come to. */
function recorded(...events: GatewayEvent[]): Recorded[] {
  const records: Recorded[] = [];
  let emit: EventListener = () => undefined;
  const gateway = {
    on: (listener: EventListener) => ((emit = listener), () => undefined),
    models: () => [{ id: 'exa/answer' }],
    status: () => {
      throw new Error('not asked for');
    },
  };
  recordMetrics(gateway, keepIn(records));
  for (const event of events) void emit(event);
  return records;
}

const keepIn =
  (records: Recorded[]): RecordMetric =>
  (name, value, labels) =>
    void records.push([name, value, labels]);

const request: RequestFinished = {
  type: 'request_finished',
  atMs: 1,
  requestId: 'req_1',
  clientRequestId: 'mine',
  answerId: 'ans_1',
  tag: null,
  upstreamCost: 5_000_000n,
  loss: 0n,
  endpoint: 'answer',
  status: 200,
  reason: null,
  replayed: false,
  keyId: 'key',
  organizationId: 'acme',
  requestedModel: 'fast',
  model: 'exa/answer',
  provider: 'exa',
  cost: 5_500_000n,
  cache: null,
  joined: false,
  attempts: 1,
  durationMs: 1_500,
  firstContentMs: 250,
  upstreamMs: 1_400,
};
const attempt: AttemptFinished = {
  type: 'attempt_finished',
  atMs: 1,
  requestId: 'req_1',
  attempt: 1,
  provider: 'exa',
  model: 'exa/answer',
  outcome: 'upstream_timeout',
  phase: 'body',
  upstreamStatus: null,
  code: null,
  upstreamRequestId: null,
  durationMs: 2_000,
  cost: null,
  inputTokens: 12,
  outputTokens: 0,
  detail: '',
};
const served: RequestFinished = { ...request, provider: 'tavily' };
const RESCUED = { from: 'exa', to: 'tavily', reason: 'upstream_timeout' };
const failed = { atMs: 1, requestId: 'req_1', attempt: 1, error: 'down' } as const;
const settle = { ...failed, type: 'ledger_settle_failed', holdId: 'a', operation: 'settle' } as const;
const claim = { ...failed, type: 'idempotency_failed', operation: 'free' } as const;
const pause = { type: 'provider_paused', atMs: 1, provider: 'exa', reason: 'upstream_error', untilMs: 2 } as const;
const cost = {
  atMs: 1,
  requestId: 'req_1',
  organizationId: 'acme',
  model: 'exa/answer',
  charged: 1n,
  reported: 1n,
  computed: 1n,
} as const;
const limited = {
  type: 'provider_slot_refused',
  atMs: 1,
  requestId: 'r',
  organizationId: 'acme',
  provider: 'exa',
  model: 'exa/answer',
} as const;
const KEY_OUT = { provider: 'exa', key: 'main', state: 'rejected' } as const;
const reason = 'connection_wait_exceeded' as const;

/** Each counted event, with its metrics. */
const COUNTED: [GatewayEvent, Recorded[]][] = [
  [
    request,
    [
      ['searchgate.requests', 1, { endpoint: 'answer', status: '200', reason: 'none' }],
      ['searchgate.request.duration', 1.5, { endpoint: 'answer', model: 'exa/answer' }],
      ['searchgate.time_to_first_content', 0.25, { model: 'exa/answer' }],
      ['searchgate.charged.usd', 0.0055, { model: 'exa/answer' }],
    ],
  ],
  [
    { ...request, firstContentMs: null, cost: null, ignoredFields: 2 },
    [
      ['searchgate.requests', 1, { endpoint: 'answer', status: '200', reason: 'none' }],
      ['searchgate.request.duration', 1.5, { endpoint: 'answer', model: 'exa/answer' }],
      ['searchgate.fields.ignored', 2, { endpoint: 'answer' }],
    ],
  ],
  [
    attempt,
    [
      ['searchgate.attempts', 1, { provider: 'exa', model: 'exa/answer', outcome: 'upstream_timeout' }],
      ['searchgate.attempt.duration', 2, { provider: 'exa', model: 'exa/answer' }],
      ['searchgate.tokens', 12, { provider: 'exa', model: 'exa/answer', type: 'input' }],
      ['searchgate.tokens', 0, { provider: 'exa', model: 'exa/answer', type: 'output' }],
    ],
  ],
  [
    { ...attempt, outcome: 'upstream_auth_failed', byok: true, inputTokens: null, outputTokens: null },
    [
      ['searchgate.attempts', 1, { provider: 'exa', model: 'exa/answer', outcome: 'own_key_failed' }],
      ['searchgate.attempt.duration', 2, { provider: 'exa', model: 'exa/answer' }],
    ],
  ],
  [
    { ...pause, organizationId: null },
    [['searchgate.provider.pauses', 1, { provider: 'exa', reason: 'upstream_error', scope: 'all' }]],
  ],
  [
    { ...pause, organizationId: 'acme' },
    [['searchgate.provider.pauses', 1, { provider: 'exa', reason: 'upstream_error', scope: 'some_organizations' }]],
  ],
  [{ type: 'provider_key_failed', atMs: 1, ...KEY_OUT }, [['searchgate.provider.key_failures', 1, KEY_OUT]]],
  [
    { ...limited, reason, outcome: 'given_up', waitedMs: 10 },
    [['searchgate.provider.slots_refused', 1, { provider: 'exa', reason, outcome: 'given_up' }]],
  ],
  [{ ...settle, final: false }, [['searchgate.settle.failures', 1, {}]]],
  [
    { ...settle, final: true },
    [
      ['searchgate.settle.failures', 1, {}],
      ['searchgate.settle.given_up', 1, {}],
    ],
  ],
  [{ ...claim, final: false }, [['searchgate.idempotency.failures', 1, {}]]],
  [
    { ...claim, final: true },
    [
      ['searchgate.idempotency.failures', 1, {}],
      ['searchgate.idempotency.given_up', 1, {}],
    ],
  ],
  [{ ...cost, type: 'cost_unknown' }, [['searchgate.cost.warnings', 1, { model: 'exa/answer', kind: 'unknown' }]]],
  [{ ...cost, type: 'cost_mismatch' }, [['searchgate.cost.warnings', 1, { model: 'exa/answer', kind: 'mismatch' }]]],
  [
    { ...cost, type: 'cost_implausible' },
    [['searchgate.cost.warnings', 1, { model: 'exa/answer', kind: 'implausible' }]],
  ],
  [
    { type: 'citations_dropped', atMs: 1, requestId: 'a', provider: 'exa', model: 'exa/answer', dropped: 2, kept: 0 },
    [['searchgate.citations.dropped', 2, { model: 'exa/answer' }]],
  ],
  [{ type: 'request_log_dropped', atMs: 1, count: 2 }, [['searchgate.request_log.dropped', 2, {}]]],
  [{ type: 'holds_expired', atMs: 1, count: 3 }, [['searchgate.holds.expired', 3, {}]]],
  [
    { type: 'events_dropped', atMs: 1, count: 7, byType: { credits_low: 3, provider_slot_refused: 4 } },
    [
      ['searchgate.events.dropped', 3, { type: 'credits_low' }],
      ['searchgate.events.dropped', 4, { type: 'provider_slot_refused' }],
    ],
  ],
];

const UNCOUNTED: GatewayEvent[] = [
  { type: 'store_down', atMs: 1, store: 'ledger', sinceMs: 0, error: 'down' },
  { type: 'store_recovered', atMs: 2, store: 'ledger', sinceMs: 0, downMs: 2 },
  { type: 'ledger_settle_recovered', atMs: 1, holdId: 'a', attempts: 2 },
  { type: 'idempotency_recovered', atMs: 1, requestId: 'a', attempts: 2 },
  { type: 'provider_key_recovered', atMs: 1, ...KEY_OUT },
  { type: 'provider_resumed', atMs: 1, provider: 'exa', organizationId: null },
];

const STATUS = {
  inFlight: 3,
  holdsInFlight: 2,
  settlesWaiting: 1,
  closing: false,
  oldestAttempts: [{ model: 'exa/answer', ageMs: 1_500 }],
};

function gauges(): Recorded[] {
  const records: Recorded[] = [];
  const states = ['serving', 'paused', 'probing'] as const;
  const providers = states.map((state) => ({
    id: `is-${state}`,
    state,
    pausedUntilMs: null,
    pausedForOrganizationIds: state === 'probing' ? ['acme'] : [],
    keys: state === 'probing' ? [{ name: 'main', state: 'rejected' as const, outUntilMs: null }] : undefined,
  }));
  const stores = [
    { id: 'ledger', downSinceMs: 5 },
    { id: 'key_store', downSinceMs: null },
  ] as const;
  recordGauges({ status: () => ({ ...STATUS, providers, stores }) }, keepIn(records));
  return records;
}

describe('the metrics', () => {
  it.each(COUNTED)('count $type', (event, expected) => {
    expect(recorded(event)).toEqual(expected);
  });

  it.each(UNCOUNTED)('do not count $type', (event) => {
    expect(recorded(event)).toEqual([]);
  });

  it('have no value for unknown figures', () => {
    const refused = { ...request, endpoint: 'key', requestedModel: null, model: null, cost: null } as const;
    expect(recorded({ ...refused, status: 401, reason: 'invalid_api_key', firstContentMs: null })).toEqual([
      ['searchgate.requests', 1, { endpoint: 'key', status: '401', reason: 'invalid_api_key' }],
      ['searchgate.request.duration', 1.5, { endpoint: 'key', model: 'none' }],
    ]);
    expect(recorded({ ...attempt, inputTokens: null, outputTokens: null })).toHaveLength(2);
  });

  it('use only models of the gateway as labels, requested or served', () => {
    const labels = (event: GatewayEvent) => recorded(event)[1]?.[2]['model'];
    expect(labels({ ...request, model: null, requestedModel: 'exa/answer' })).toBe('exa/answer');
    expect(labels({ ...request, model: null, requestedModel: 'anything/else' })).toBe('unknown');
    expect(labels({ ...request, model: 'anything/else' })).toBe('unknown');
    expect(labels({ ...attempt, model: 'anything/else' })).toBe('unknown');
  });

  it('read gauges from the status of the gateway', () => {
    expect(gauges()).toEqual([
      ['searchgate.requests.in_flight', 3, {}],
      ['searchgate.holds.in_flight', 2, {}],
      ['searchgate.settles.waiting', 1, {}],
      ['searchgate.attempt.oldest', 1.5, { model: 'exa/answer' }],
      ['searchgate.ledger.up', 0, { store: 'ledger' }],
      ['searchgate.ledger.up', 1, { store: 'key_store' }],
      ['searchgate.provider.paused', 0, { provider: 'is-serving', scope: 'all' }],
      ['searchgate.provider.paused', 0, { provider: 'is-serving', scope: 'some_organizations' }],
      ['searchgate.provider.paused', 1, { provider: 'is-paused', scope: 'all' }],
      ['searchgate.provider.paused', 0, { provider: 'is-paused', scope: 'some_organizations' }],
      ['searchgate.provider.key_state', 1, { provider: 'is-probing', key: 'main', state: 'rejected' }],
      ['searchgate.provider.paused', 1, { provider: 'is-probing', scope: 'all' }],
      ['searchgate.provider.paused', 1, { provider: 'is-probing', scope: 'some_organizations' }],
    ]);
  });

  it.each<[string, GatewayEvent[], object[]]>([
    ['a fallback', [attempt, { ...attempt, attempt: 2, outcome: 'answered' }, served], [RESCUED]],
    ['a hedge', [{ ...attempt, outcome: 'hedged' }, served], [{ ...RESCUED, reason: 'hedged' }]],
    [
      'a refused key of its own',
      [{ ...attempt, outcome: 'upstream_auth_failed', byok: true }, served],
      [{ ...RESCUED, reason: 'own_key_failed' }],
    ],
    ['no rescue: its hedge failed', [{ ...attempt, attempt: 2 }, { ...attempt, outcome: 'answered' }, served], []],
    ['no rescue: it failed', [attempt, { ...served, status: 504, reason: 'upstream_timeout' }], []],
    ['one rescue, whatever another call does', [attempt, { ...served, requestId: 'req_2' }, served, served], [RESCUED]],
  ])('count a call that was saved by %s', (_, events, rescues) => {
    const counted = recorded(...events).filter(([name]) => name === 'searchgate.calls.rescued');
    expect(counted.map(([, , labels]) => labels)).toEqual(rescues);
  });

  it('remember the failures of 20,000 calls under way', () => {
    const calls = Array.from({ length: 20_001 }, (_, index) => `req_${index}`);
    const begun = calls.map((requestId) => ({ ...attempt, requestId }));
    const rescues = (requestId: string) =>
      recorded(...begun, { ...served, requestId }).filter(([name]) => name === 'searchgate.calls.rescued').length;
    expect([rescues('req_0'), rescues('req_1'), rescues('req_20000')]).toEqual([0, 1, 1]);
  });

  it('are all recorded, each with the labels of the table', () => {
    const records = [...recorded(...COUNTED.map(([event]) => event), attempt, served), ...gauges()];
    expect([...new Set(records.map(([name]) => name))].sort()).toEqual(Object.keys(METRICS).sort());
    for (const [name, , labels] of records) expect(Object.keys(labels)).toEqual(METRICS[name].labels);
  });
});
