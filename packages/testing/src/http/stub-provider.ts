import {
  type AnswerOutcome,
  type LiveAnswer,
  type ModelRow,
  type PriceRow,
  type Provider,
  type ProviderQuestion,
  UpstreamError,
  type UpstreamErrorOptions,
  type UpstreamReason,
} from '@searchgate/core/provider-kit';
import { createLatch, type Latch } from './latch.js';
import { STUB_EXTRACT, stubSearch } from './stub-pages.js';
import { stubTexts } from './stub-texts.js';

/** A marker in the provider's error texts, which callers must never see. */
export const UPSTREAM_WORDS = 'UPSTREAM-WORDS';

/** A provider controlled by the query, which can pause in an answer. */
export interface StubProvider extends Provider {
  /** Resolves when a waiting question has arrived. */
  readonly asked: Promise<void>;
  /** Answers all waiting questions. */
  release(): void;
}

/** Queries with special behavior. */
export const QUERIES = {
  /** Waits for `release()`. */
  wait: 'wait for it',
  /** Answers with the query as JSON text, or with the instructions if there are any. */
  echo: '  echo \u2708 \n',
  /** Throws an error that is not an `UpstreamError`. */
  throw: 'throw a TypeError',
  fail: (reason: UpstreamReason) => `fail with ${reason}`,
  /** Answers with the result of a check of its citations. */
  checked: 'check the citations',
  /** In a stream: fails after the first part. */
  breakOff: 'break off',
};

/** The failures of the stub as the gateway sees them. */
export const FAILURES: Readonly<Record<UpstreamReason, UpstreamErrorOptions>> = {
  upstream_auth_failed: { phase: 'headers', status: 401 },
  upstream_quota_exhausted: { phase: 'headers', status: 402 },
  upstream_rate_limited: { phase: 'headers', status: 429, retryAfterMs: 90_000 },
  upstream_rejected: { phase: 'headers', status: 422 },
  query_rejected: { phase: 'headers', status: 400 },
  no_answer_found: { phase: 'headers', status: 501 },
  no_page_extracted: { phase: 'shape', status: 200 },
  upstream_error: { phase: 'headers', status: 500 },
  upstream_unreachable: { phase: 'connect' },
  upstream_timeout: { phase: 'headers' },
  upstream_invalid_response: { phase: 'shape', status: 200, cost: 3_000_000n },
};

export function stubProvider(): StubProvider {
  const asked = createLatch();
  const released = createLatch();

  async function obey(query: string): Promise<void> {
    failIfAsked(query);
    if (query !== QUERIES.wait) return;
    asked.open();
    await released.opened;
  }

  return {
    id: 'stub',
    ownKeys: true,
    name: 'Stub',
    models: [
      model('backup', flat('0.002')),
      model('flat', flat('0.005')),
      model('fragile', flat('0.001')),
      model('metered', {
        ...SOURCE,
        kind: 'dynamic',
        perMillionInputTokens: '1',
        perMillionOutputTokens: '2.5',
        typical: '0.001',
        ceiling: '0.01',
      }),
      { ...model('streamed', flat('0.005')), features: STREAMED_FEATURES },
    ],
    answer: {
      stream: (call, _context, live) => streamed(call, live, { asked, released }),
      async answer(call) {
        const { query } = call;
        const { slug } = call.model;
        if (query === QUERIES.wait) {
          asked.open();
          await released.opened;
        }
        if (slug === 'stub/fragile') throw failure('upstream_error');
        if (query === QUERIES.throw) throw new TypeError(UPSTREAM_WORDS);
        failIfAsked(query);
        return slug === 'stub/metered' ? { ...ANSWER, cost: { reported: 1n } } : outcomeOf(call);
      },
    },
    search: stubSearch({ isEcho: (query) => query === QUERIES.echo, obey }),
    extract: STUB_EXTRACT,
    ...stubTexts(obey),
    asked: asked.opened,
    release: released.open,
  };
}

/** The answer in two parts. A waiting question pauses between them; it may have been released before. */
async function streamed(call: ProviderQuestion, live: LiveAnswer, { asked, released }: Gates): Promise<AnswerOutcome> {
  const { query } = call;
  failIfAsked(query);
  const outcome = outcomeOf(call);
  live.citations(outcome.citations);
  live.text(outcome.text.slice(0, FIRST_PART.length));
  if (query === QUERIES.breakOff) throw failure('upstream_error');
  if (query === QUERIES.wait) {
    asked.open();
    await released.opened;
  }
  live.text(outcome.text.slice(FIRST_PART.length));
  return outcome;
}

/** A limit below ten tokens ends the answer after its first part. */
function outcomeOf({ query, instructions = query, maxOutputTokens = 10 }: ProviderQuestion): AnswerOutcome {
  if (maxOutputTokens < 10) return { ...ANSWER, text: FIRST_PART, truncated: true };
  if (query === QUERIES.checked) return { ...ANSWER, grounding: GROUNDING };
  return query === QUERIES.echo ? { ...ANSWER, text: JSON.stringify(instructions) } : ANSWER;
}

interface Gates {
  readonly asked: Latch;
  readonly released: Latch;
}

function failIfAsked(query: string): void {
  const reason = (Object.keys(FAILURES) as UpstreamReason[]).find((known) => query === QUERIES.fail(known));
  if (reason !== undefined) throw failure(reason);
}

const STREAMED_FEATURES = ['citations', 'streaming', 'multi_turn', 'instructions', 'max_output_tokens'];
const FIRST_PART = 'It opened in';

const SOURCE = { source: 'https://example.org/pricing', asOf: '2026-01-01', confidence: 'high' } as const;

const ANSWER: AnswerOutcome = {
  text: 'It opened in May 2021 [1][2].',
  citations: [
    { url: 'https://example.org/zephyr', title: 'Zephyr Bridge opens', snippet: 'Opened on 14 May…' },
    { url: 'https://news.example.com/a?b=1' },
  ],
  cost: {},
};

/** Four different numbers. */
export const GROUNDING = { sentences: 9, supported: 4, unsupported: 2, removed: 3 };

function flat(request: string): PriceRow {
  return { ...SOURCE, kind: 'flat', request };
}

function model(name: string, price: PriceRow): ModelRow {
  return {
    slug: `stub/${name}`,
    name: `Stub ${name}`,
    description: `Answers from memory (${name}).`,
    prices: [price],
    features: ['citations'],
    contextLength: name === 'metered' ? 128_000 : null,
    timeoutMs: 30_000,
  };
}

function failure(reason: UpstreamReason): UpstreamError {
  return new UpstreamError(reason, { ...FAILURES[reason], detail: UPSTREAM_WORDS, cause: new Error(UPSTREAM_WORDS) });
}
