import assert from 'node:assert/strict';
import { REASONS } from '@searchgate/core';
import {
  ANSWERED,
  ask,
  type CaseRequest,
  CHECKED,
  type Expectation,
  type HttpCase,
  refused,
  row,
} from '../http-case.js';
import { QUERIES } from '../stub-provider.js';
import type { WireResponse } from '../wire.js';
import { after, named } from './named-call.js';

const event = (name: string, data: string) => `event: ${name}\ndata: ${data}\n\n`;
const delta = (text: string) => event('delta', JSON.stringify({ text }));
const bodyOf = (model: string) => ANSWERED.body?.replace('stub/flat', model) ?? '';
const TEXT = 'It opened in May 2021 [1][2].';
const CITATIONS = /"citations":\[.*\]/.exec(ANSWERED.body ?? '')?.[0] ?? '';

/** All events of an answer with these text parts. */
const events = (model: string, parts: readonly string[]) =>
  [
    event('start', `{"id":"<id>","model":"${model}","provider":"stub"}`),
    event('citations', `{${CITATIONS}}`),
    ...parts.map(delta),
    event('done', bodyOf(model)),
  ].join('');

const CHARGED = { charge: { amount: '0.005', model: 'stub/streamed' } } as const;
const FIRST_TEXT = 'It opened in';
const FIRST = delta(FIRST_TEXT);
const CUT = `"${FIRST_TEXT}",${CITATIONS},"truncated":true`;
const IN_PARTS: Expectation = {
  status: 200,
  streamed: true,
  body: events('stub/streamed', ['It opened in', ' May 2021 [1][2].']),
  headers: { 'server-timing': /^gateway;dur=\d+\.\d, upstream;dur=\d+\.\d$/, 'idempotent-replayed': null },
  ...CHARGED,
};
/** The expectation of a replayed answer. */
const REPLAYED = { headers: { 'idempotent-replayed': 'true' }, event: { replayed: true, cost: null } } as const;

const askLive = (fields: Readonly<Record<string, unknown>> = {}): CaseRequest =>
  ask({ model: 'stub/streamed', stream: true, ...fields });

/** The expectation of an answer that breaks off after its first part. */
function broken(reason: 'upstream_error' | 'shutting_down', metadata: string): Expectation {
  const { status, type, message, retryable } = REASONS[reason];
  const error =
    `{"error":{"code":${status},"type":"${type}","reason":"${reason}","message":"${message}","param":null,` +
    `"retryable":${retryable},"request_id":"<request>","metadata":${metadata}}}`;
  return {
    status: 200,
    streamed: true,
    body: events('stub/streamed', ['It opened in']).replace(
      event('done', bodyOf('stub/streamed')),
      event('error', error),
    ),
    loss: { amount: '0.005', model: 'stub/streamed' },
    event: { status, reason, cost: null, attempts: 1 },
  };
}

const RUNNING_CASES: readonly HttpCase[] = [
  {
    ...row('says and charges where the limit of the caller ended the answer', askLive({ max_output_tokens: 9 }), {
      status: 200,
      streamed: true,
      body: events('stub/streamed', [FIRST_TEXT]).replace(`${JSON.stringify(TEXT)},${CITATIONS}`, CUT),
      ...CHARGED,
    }),
    onlyAnswer: true,
  },
  row('streams an answer in events, the last of them with the body of the answer without stream', askLive(), {
    ...IN_PARTS,
    event: { cost: 5_000_000n, attempts: 1, model: 'stub/streamed', replayed: false },
  }),
  {
    ...row('sends each event while the provider still writes', askLive({ query: QUERIES.wait }), IN_PARTS),
    during: async ({ provider }, { received }) => {
      await received(FIRST_TEXT);
      provider.release();
    },
  },
  {
    name: 'keeps a silent stream open with comments',
    request: askLive({ query: QUERIES.wait }),
    gateway: () => ({ streamKeepAliveMs: 7_000 }),
    during: async ({ provider, clock }, { received }) => {
      await received(FIRST_TEXT);
      await clock.advance(7_000);
      await received(': keep-alive\n\n');
      provider.release();
    },
    expect: { ...IN_PARTS, body: IN_PARTS.body?.replace(FIRST, `${FIRST}: keep-alive\n\n`) ?? '' },
  },
  row('says at the end what a check of the citations found', askLive({ query: QUERIES.checked }), {
    ...IN_PARTS,
    body: `${IN_PARTS.body}`.replace(bodyOf('stub/streamed'), CHECKED.replace('stub/flat', 'stub/streamed')),
  }),
  row('streams neither citations nor markers when asked to leave them out', askLive({ include_citations: false }), {
    ...IN_PARTS,
    body: [
      event('start', '{"id":"<id>","model":"stub/streamed","provider":"stub"}'),
      FIRST,
      delta(' May 2021.'),
      event(
        'done',
        '{"id":"<id>","model":"stub/streamed","provider":"stub","answer":"It opened in May 2021.","usage":{"cost":0.005}}',
      ),
    ].join(''),
  }),
  {
    name: 'streams in one part what comes from a model that does not stream',
    request: ask({ stream: true }),
    expect: { ...IN_PARTS, body: events('stub/flat', [TEXT]), charge: { amount: '0.005', model: 'stub/flat' } },
  },
  {
    name: 'streams the answer of a fallback',
    request: askLive({ model: 'stub/fragile' }),
    gateway: () => ({ maxAttempts: 2, fallbacks: { 'stub/fragile': ['stub/streamed'] } }),
    expect: { ...IN_PARTS, event: { attempts: 2, requestedModel: 'stub/fragile', model: 'stub/streamed' } },
  },
];

const CHECK = { query: QUERIES.checked };

const FAILURE_CASES: readonly HttpCase[] = [
  {
    name: 'answers with an ordinary error what fails before its first content, though a stream was asked for',
    request: askLive({ query: QUERIES.fail('upstream_auth_failed') }),
    expect: refused(502, {
      type: 'upstream_error',
      reason: 'upstream_auth_failed',
      metadata: { provider: 'stub', model: 'stub/streamed', attempts: 1, upstream_status: 401, phase: 'headers' },
    }),
  },
  {
    name: 'refuses with an ordinary error whom it does not know, though a stream was asked for',
    request: { ...askLive(), key: null },
    expect: refused(401, { type: 'authentication_error', reason: 'missing_api_key' }),
  },
  {
    name: 'ends a stream that breaks off with an error event, charges nothing, and tries nothing else',
    request: askLive({ query: QUERIES.breakOff }),
    gateway: () => ({ maxAttempts: 3, fallbacks: { 'stub/streamed': ['stub/backup'] } }),
    expect: broken(
      'upstream_error',
      '{"provider":"stub","model":"stub/streamed","attempts":1,"upstream_status":500,"phase":"headers"}',
    ),
  },
  {
    name: 'ends a stream with an error event when the gateway’s drain time is over',
    request: askLive({ query: QUERIES.wait }),
    gateway: () => ({ drainTimeoutMs: 0 }),
    during: async ({ gateway, clock }, { received }) => {
      await received(FIRST_TEXT);
      const closed = gateway.close();
      await clock.advance(0);
      await closed;
    },
    expect: broken('shutting_down', 'null'),
  },
  {
    name: 'reads to its end, and charges, a stream whose caller has hung up',
    request: askLive({ query: QUERIES.wait }),
    during: async ({ provider }, exchange) => {
      await exchange.received(FIRST_TEXT);
      await exchange.disconnect();
      provider.release();
    },
    expect: { status: 'none', ...CHARGED, event: { cost: 5_000_000n, attempts: 1 } },
    needsSockets: true,
  },
];

const textOf = ({ body }: WireResponse) => Buffer.from(body).toString();
const lastEventOf = (response: WireResponse) => /data: (.*)\n\n$/.exec(textOf(response))?.[1];

const REPLAY_CASES: readonly HttpCase[] = [
  {
    ...row('replays a streamed answer as a stream in one part, and charges once', named(askLive()), IN_PARTS),
    onlyAnswer: true,
    during: async ({ send }, { response }) => {
      const first = await response;
      const second = await send(named(askLive())).response;
      assert.equal(second.headers['idempotent-replayed'], 'true');
      assert.equal(second.headers['content-type'], first.headers['content-type']);
      assert.equal(lastEventOf(second), lastEventOf(first));
      assert.equal(textOf(second).split('event: delta\n').length, 2);
    },
  },
  {
    name: 'replays as a stream what was answered whole',
    request: askLive(),
    before: after(askLive({ stream: false })),
    expect: { status: 200, streamed: true, body: events('stub/streamed', [TEXT]), ...REPLAYED },
  },
  {
    name: 'replays whole what was streamed',
    request: askLive({ ...CHECK, stream: false }),
    before: after(askLive(CHECK)),
    expect: { status: 200, body: CHECKED.replace('stub/flat', 'stub/streamed'), ...REPLAYED },
  },
];

/** Streamed answers. */
export const STREAM_CASES: readonly HttpCase[] = [...RUNNING_CASES, ...FAILURE_CASES, ...REPLAY_CASES];
