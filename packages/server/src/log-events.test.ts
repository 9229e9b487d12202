import { Writable } from 'node:stream';
import type { AttemptFinished, GatewayEvent, RequestFinished } from '@searchgate/core';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { logEvent } from './log-events.js';

function logged(event: GatewayEvent): Record<string, unknown> {
  let line = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      line += chunk.toString();
      done();
    },
  });
  logEvent(pino({ level: 'trace' }, stream), event);
  return JSON.parse(line) as Record<string, unknown>;
}

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 };

const request: RequestFinished = {
  type: 'request_finished',
  atMs: 1,
  requestId: 'req_1',
  clientRequestId: null,
  answerId: 'ans_1',
  tag: null,
  upstreamCost: 1_000_000n,
  loss: 0n,
  endpoint: 'answer',
  status: 200,
  reason: null,
  replayed: false,
  keyId: 'sg_1',
  organizationId: 'acme',
  requestedModel: 'local/docs',
  model: 'local/docs',
  provider: 'local',
  cost: 1_500_000n,
  cache: null,
  joined: false,
  attempts: 1,
  durationMs: 12.345678,
  firstContentMs: null,
  upstreamMs: 3.21,
};

const attempt: AttemptFinished = {
  type: 'attempt_finished',
  atMs: 1,
  requestId: 'req_1',
  attempt: 1,
  provider: 'local',
  model: 'local/docs',
  outcome: 'answered',
  phase: null,
  upstreamStatus: null,
  code: null,
  upstreamRequestId: null,
  durationMs: 1,
  cost: null,
  inputTokens: null,
  outputTokens: null,
  detail: '',
};

const slot = {
  type: 'provider_slot_refused',
  atMs: 1,
  requestId: 'r',
  organizationId: 'acme',
  provider: 'exa',
  model: 'exa/answer',
  waitedMs: 9,
} as const;

describe('logEvent', () => {
  it('writes one JSON line with amounts in US dollars and times in tenths of a millisecond', () => {
    const parts = [{ model: 'local/find', cost: 1_000_000n }];
    expect(logged({ ...request, parts })).toMatchObject({
      level: LEVELS.info,
      msg: 'request finished',
      requestId: 'req_1',
      cost: '0.0015',
      parts: [{ model: 'local/find', cost: '0.001' }],
      durationMs: 12.3,
      upstreamMs: 3.2,
    });
  });

  it.each<[string, GatewayEvent, keyof typeof LEVELS]>([
    ['a refused request', { ...request, status: 402, reason: 'key_limit_reached' }, 'info'],
    ['a failed request', { ...request, status: 502, reason: 'upstream_error' }, 'warn'],
    ['an attempt that answered', attempt, 'debug'],
    ['an attempt that another model was faster than', { ...attempt, outcome: 'hedged' }, 'debug'],
    ['an attempt that failed', { ...attempt, outcome: 'upstream_timeout' }, 'warn'],
    ['a question that was refused', { ...attempt, outcome: 'query_rejected' }, 'info'],
    ['a question that no source answers', { ...attempt, outcome: 'no_answer_found' }, 'info'],
    [
      'a provider that is skipped',
      { type: 'provider_paused', atMs: 1, provider: 'exa', organizationId: null, reason: 'upstream_error', untilMs: 2 },
      'warn',
    ],
    ['a provider over its limit', { ...slot, reason: 'upstream_rate_limited', outcome: 'waited' }, 'info'],
    ['a call that got no turn in time', { ...slot, reason: 'connection_wait_exceeded', outcome: 'given_up' }, 'warn'],
    ['a provider that is back', { type: 'provider_resumed', atMs: 1, provider: 'exa', organizationId: null }, 'info'],
    [
      'a charge that cannot be written',
      {
        type: 'ledger_settle_failed',
        atMs: 1,
        requestId: 'req_1',
        holdId: 'ans_1',
        operation: 'settle',
        attempt: 1,
        final: true,
        error: 'down',
      },
      'error',
    ],
    [
      'an outage, which the gateway logs itself',
      { type: 'store_recovered', atMs: 1, store: 'ledger', sinceMs: 0, downMs: 1 },
      'debug',
    ],
  ])('writes %s at its level', (_, event, level) => {
    expect(logged(event)['level']).toBe(LEVELS[level]);
  });
});
