import type { GatewayOptions } from '@searchgate/core';
import { chatCompletions, responses } from '@searchgate/dialects';
import { afterEach, describe, expect, it } from 'vitest';
import { mcp } from '../src/index.js';
import { ERROR_META } from '../src/tools/tool.js';
import { HOSTS, type Mounted, toolCall } from './hosts.js';
import { KEY, MODEL, startGateway, type TestGateway } from './mounted-gateway.js';

/** A question; undefined fields are left out. */
interface Question {
  readonly model?: unknown;
  readonly query?: unknown;
  readonly search?: unknown;
}

interface Way {
  readonly path: string;
  body(question: Question): object;
  /** The reason in an error of this endpoint; `undefined` for an answer. */
  reasonOf(status: number, body: never): unknown;
}

/** The endpoints that answer over HTTP. Each has its own form of questions and errors. */
const WAYS: Readonly<Record<string, Way>> = {
  answer: {
    path: 'answer',
    body: (question) => question,
    reasonOf: (_status, body: { error?: { reason?: unknown; code?: unknown } }) => body.error?.reason,
  },
  'chat completions': {
    path: 'chat/completions',
    body: ({ query, ...others }) => ({ ...others, messages: [{ role: 'user', content: query }] }),
    reasonOf: (_status, body: { error?: { code?: unknown } }) => body.error?.code,
  },
  responses: {
    path: 'responses',
    body: ({ query, ...others }) => ({ ...others, input: query }),
    reasonOf: (_status, body: { error?: { code?: unknown } | null }) => body.error?.code,
  },
  MCP: {
    path: 'mcp',
    body: (question) => toolCall('search_answer', question),
    reasonOf(
      status,
      body: { error?: { data: { reason: unknown } }; result?: { _meta?: Record<string, { reason: unknown }> } },
    ) {
      return status === 200 ? body.result?._meta?.[ERROR_META]?.reason : body.error?.data.reason;
    },
  },
};

const RATE = { defaultLimits: { keys: { rateLimit: { requests: 1, periodMs: 3_600_000 } } } };
const QUESTION: Question = { model: MODEL, query: 'When?' };

interface Row {
  readonly question?: Question;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limit?: string;
  readonly options?: Partial<GatewayOptions>;
  /** Number of questions answered before. */
  readonly before?: number;
}

/** Refused requests, by reason. */
const REFUSED: Readonly<Record<string, Row>> = {
  malformed_authorization: { headers: { authorization: 'Basic abc' } },
  invalid_api_key: { headers: { authorization: 'Bearer another-secret-of-twenty-characters' } },
  unsupported_media_type: { headers: { 'content-type': 'text/plain' } },
  invalid_field: { question: { ...QUESTION, query: '' } },
  model_not_found: { question: { ...QUESTION, model: 'handbook/other' } },
  unsupported_option: { question: { ...QUESTION, search: { country: 'DE' } } },
  key_limit_reached: { limit: '0.005' },
  rate_limited: { options: RATE, before: 1 },
  invalid_idempotency_key: { headers: { 'idempotency-key': 'ä' } },
  upstream_error: { question: { ...QUESTION, query: 'fail upstream' } },
};

let running: TestGateway;
let mounted: Mounted;
afterEach(() => mounted.close());

async function start({ limit, options }: Row = {}): Promise<void> {
  const endpoints = { chatCompletions: chatCompletions(), responses: responses(), mcp: mcp() };
  running = startGateway({ endpoints, ...options }, limit === undefined ? {} : { limit });
  mounted = await HOSTS['a fetch handler']!(running.gateway);
}

async function ask({ path, body, reasonOf }: Way, question: Question, headers: Row['headers'] = {}) {
  const response = await mounted.fetch(`${mounted.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body(question)),
  });
  const text = await response.text();
  return { text, headers: response.headers, reason: reasonOf(response.status, JSON.parse(text) as never) };
}

const usage = async (): Promise<number> => (await running.gateway.key({ apiKey: KEY })).usage;

describe.each(Object.entries(WAYS))('through %s', (_name, way) => {
  it.each(Object.entries(REFUSED))('refuses with %s in its own form, without a charge', async (reason, row) => {
    await start(row);
    for (let earlier = 0; earlier < (row.before ?? 0); earlier += 1)
      expect((await ask(way, QUESTION)).reason).toBeUndefined();
    const before = await usage();
    expect((await ask(way, row.question ?? QUESTION, row.headers)).reason).toBe(reason);
    expect(await usage()).toBe(before);
  });

  it('an answer is charged once per Idempotency-Key, and replayed by every other endpoint', async () => {
    await start();
    const headers = { 'idempotency-key': 'one' };
    const first = await ask(way, QUESTION, headers);
    expect(first.reason).toBeUndefined();
    for (const other of Object.values(WAYS)) {
      const again = await ask(other, QUESTION, headers);
      expect(again.reason).toBeUndefined();
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.text).toContain('Thirty days [1].');
    }
    expect(running.asked).toHaveLength(1);
    expect(await usage()).toBe(0.01);
  });

  it('a budget of three answers serves three of ten parallel calls', async () => {
    await start({ limit: '0.03' });
    const asked = await Promise.all(Array.from({ length: 10 }, () => ask(way, QUESTION)));
    expect(asked.filter(({ reason }) => reason === undefined)).toHaveLength(3);
    expect(await usage()).toBe(0.03);
  });
});
