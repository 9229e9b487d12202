import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { createEventStream, type GatewayEvent } from '../base/events/events.js';
import { createDeadlines } from '../base/time/deadline.js';
import type { CallableModel } from '../catalog/catalog.js';
import { QuestionCall } from '../kinds/answer/question-call.js';
import { createProviderLimits } from '../limits/provider-limits.js';
import type { AnswerAdapter, AnswerOutcome, Provider } from '../provider-kit/provider.js';
import { openContext } from '../request/handle-request-lifecycle.js';
import { type CircuitPermit, createCircuitBreaker } from '../routing/circuit-breaker.js';
import { MAX_ANSWER_LENGTH } from '../text/reply-limits.js';
import { createAttempt } from './attempt.js';
import { AttemptsUnderWay } from './attempts-under-way.js';
import { ProviderPermit } from './provider-permits.js';

const OUTCOME: AnswerOutcome = { text: 'Open.', citations: [{ url: 'https://example.org/' }], cost: {} };
const LIST_PRICE = 5_000_000n;
const candidate = {
  model: { slug: 'exa/answer', features: [] },
  provider: 'exa',
  timeoutMs: 10_000,
  prices: [{ kind: 'flat', validFromMs: Number.NEGATIVE_INFINITY, request: LIST_PRICE, fixed: false }],
} as unknown as CallableModel;
const call = new QuestionCall({ query: 'When?', includeCitations: true }, null);
const error = (...args: ConstructorParameters<typeof UpstreamError>) => new UpstreamError(...args);

/** One attempt at an adapter, 10 s at most. */
function start(answer: AnswerAdapter['answer'] | undefined) {
  const clock = createFakeClock();
  const logged: unknown[] = [];
  const latencies: unknown[] = [];
  const logger = { warn: () => undefined, error: (...line: unknown[]) => logged.push(line) };
  const events = createEventStream(logger);
  const seen: GatewayEvent[] = [];
  events.subscribe((event) => void seen.push(event));
  const breaker = createCircuitBreaker({ failureThreshold: 1, cooldownMs: 30_000, clock, emit: () => undefined });
  const limits = createProviderLimits({
    providers: [{ id: 'exa' }],
    connections: 1,
    limits: new Map(),
    maxConnectionWaitMs: 0,
    cooldownMs: 30_000,
    emit: () => undefined,
    slots: { total: 1, perOrganization: 1 },
    clock,
  });
  const exa = { id: 'exa', name: 'Exa', models: [], answer: answer && { answer } };
  const providers = new Map<string, Provider>(answer === undefined ? [] : [['exa', exa]]);
  const underWay = new AttemptsUnderWay(clock);
  const openUpstream = () => ({ send: () => Promise.reject(new Error('not here')) }) as never;
  const attempt = createAttempt({
    providers,
    openUpstream,
    latencies: { record: (...recorded) => void latencies.push(recorded) },
    deadlines: createDeadlines(clock),
    underWay,
    clock,
    events,
    logger,
  });
  const context = openContext('req');
  const enter = () => breaker.enter('exa', 'acme') as CircuitPermit;
  const run = async (waitMs = 0, timeoutMs = 10_000) => {
    let freed = 0;
    const pending = attempt({
      permit: new ProviderPermit({ breaker, limits }, candidate, {
        circuit: enter(),
        slot: { free: () => void (freed += 1) },
      }),
      endsAtMs: clock.monotonic() + timeoutMs,
      request: { call, apiKey: { organizationId: 'acme' } as never, isDisconnected: () => false },
      context,
      live: null,
    });
    await clock.advance(waitMs);
    const result = await pending;
    expect(freed).toBe(1);
    events.flush();
    return { result, event: seen.at(-1) };
  };
  return { run, clock, breaker, context, logged, latencies, enter };
}

describe('an attempt', () => {
  it('that is answered is reported to the circuit breaker, in the context and as an event, and leaves no timer', async () => {
    const outcome = { ...OUTCOME, cost: { reported: 4n, usage: { inputTokens: 7 } }, upstreamRequestId: 'up-1' };
    const { run, clock, context, breaker, enter } = start(
      () => new Promise((resolve) => clock.schedule(300, () => resolve(outcome))),
    );
    breaker.failed(enter(), { reason: 'upstream_error', retryAfterMs: null });
    await clock.advance(30_000);
    const { result, event } = await run(300);
    const { cost, upstreamRequestId } = outcome;
    expect(result).toEqual({ status: 'answered', outcome: { value: outcome, cost, upstreamRequestId }, losses: [] });
    expect(breaker.pausedForMs('exa', 'globex')).toBe(0);
    expect(context).toMatchObject({ attempts: 1 });
    expect(event).toEqual({
      type: 'attempt_finished',
      atMs: clock.now(),
      requestId: 'req',
      attempt: 1,
      provider: 'exa',
      model: 'exa/answer',
      outcome: 'answered',
      phase: null,
      upstreamStatus: null,
      code: null,
      upstreamRequestId: 'up-1',
      durationMs: 300,
      cost: 4n,
      inputTokens: 7,
      outputTokens: null,
      detail: '',
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it('that is answered without cost, id and tokens is reported without them', async () => {
    const { event } = await start(() => Promise.resolve(OUTCOME)).run();
    expect(event).toMatchObject({ cost: null, upstreamRequestId: null, inputTokens: null, outputTokens: null });
  });

  it.each([-1, 0.5, Number.NaN, '7' as unknown as number, null as unknown as number])(
    'that says it used %s tokens is reported without them',
    async (outputTokens) => {
      const { event } = await start(() => Promise.resolve({ ...OUTCOME, cost: { usage: { outputTokens } } })).run();
      expect(event).toMatchObject({ outcome: 'answered', outputTokens: null });
    },
  );

  it('that fails is reported with the words of the provider', async () => {
    const failure = error('upstream_error', {
      phase: 'body',
      status: 503,
      detail: 'overloaded',
      cost: 7n,
      usage: { outputTokens: 3 },
    });
    const { run, clock, breaker } = start(() => {
      return new Promise((_resolve, reject) => clock.schedule(200, () => reject(failure)));
    });
    const { result, event } = await run(200);
    expect(result).toEqual({
      status: 'failed',
      error: failure,
      losses: [{ model: 'exa/answer', provider: 'exa', cost: 7n, reason: 'upstream_error' }],
    });
    expect(event).toMatchObject({
      outcome: 'upstream_error',
      phase: 'body',
      upstreamStatus: 503,
      upstreamRequestId: null,
      durationMs: 200,
      cost: 7n,
      inputTokens: null,
      outputTokens: 3,
      detail: 'overloaded',
    });
    expect(breaker.pausedForMs('exa', 'globex')).toBe(30_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ['is answered', OUTCOME, 10_000, [['exa/answer', 200]]],
    [
      'uses up the deadline of its model',
      error('upstream_timeout', { phase: 'headers' }),
      10_000,
      [['exa/answer', 200]],
    ],
    ['uses up what was left of the call', error('upstream_timeout', { phase: 'headers' }), 9_999, []],
    ['does not reach the provider in time', error('upstream_timeout', { phase: 'connect' }), 10_000, []],
    ['fails', error('upstream_error', { phase: 'headers' }), 10_000, []],
  ] as const)('that %s counts or not as a latency', async (_what, reply, timeoutMs, recorded) => {
    const settle = () => (reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply));
    const { run, clock, latencies } = start(async () => {
      await new Promise<void>((resolve) => clock.schedule(200, resolve));
      return settle();
    });
    await run(200, timeoutMs);
    expect(latencies).toEqual(recorded);
  });

  it('that costs nothing is no loss', async () => {
    const { result, event } = await start(() => Promise.reject(error('upstream_error', { phase: 'headers' }))).run();
    expect(result).toMatchObject({ status: 'failed', losses: [] });
    expect(event).toMatchObject({ cost: null, upstreamStatus: null, detail: '' });
  });

  it.each([
    ['connect', null],
    ['headers', LIST_PRICE],
    ['body', LIST_PRICE],
  ] as const)('that timed out in the phase %s is a loss of %s', async (phase, cost) => {
    const { event } = await start(() => Promise.reject(error('upstream_timeout', { phase }))).run();
    expect(event).toMatchObject({ outcome: 'upstream_timeout', phase, cost });
  });

  it('ends at its deadline, even if the reply has begun', async () => {
    const { event } = await start(() => new Promise(() => undefined)).run(10_000);
    expect(event).toMatchObject({ outcome: 'upstream_timeout', phase: 'body', durationMs: 10_000, cost: LIST_PRICE });
  });

  it('counts as one with an unusable reply when the adapter throws, and is logged', async () => {
    const bug = new TypeError('x is undefined');
    const { run, logged } = start(() => Promise.reject(bug));
    const { result, event } = await run();
    expect(event).toMatchObject({ outcome: 'upstream_invalid_response', phase: 'shape', detail: 'the adapter threw' });
    expect((result as { error: Error }).error.cause).toBe(bug);
    expect(logged).toEqual([[{ error: bug, provider: 'exa', model: 'exa/answer' }, expect.any(String)]]);
  });

  it('at a provider without adapter fails like one with a faulty adapter', async () => {
    const { run, logged } = start(undefined);
    expect((await run()).event).toMatchObject({ outcome: 'upstream_invalid_response' });
    expect(logged).toMatchObject([[{ error: { message: 'no provider exa' } }, expect.any(String)]]);
  });
});

describe('an outcome of an adapter', () => {
  const outcomeOf = async (outcome: unknown) => {
    const { event } = await start(() => Promise.resolve(outcome as AnswerOutcome)).run();
    return event?.type === 'attempt_finished' ? [event.outcome, event.phase, event.cost, event.detail] : undefined;
  };
  const unusable = (detail: string, cost: bigint | null = null) => ['upstream_invalid_response', 'shape', cost, detail];
  const [NO_TEXT, MALFORMED] = ['empty answer, or one that is too long', 'malformed outcome'];
  const CUT = 'the answer was cut off';
  const CHECKED = { sentences: 100_000, supported: 0, unsupported: 0, removed: 0 };

  it.each<[string, unknown, unknown[]]>([
    ['nothing', undefined, unusable(NO_TEXT)],
    ['null', null, unusable(NO_TEXT)],
    ['a text that is a number', { ...OUTCOME, text: 5 }, unusable(NO_TEXT)],
    ['an object as text', { ...OUTCOME, text: { length: 1, trim: () => 'Open.' } }, unusable(NO_TEXT)],
    ['white space, which costs', { ...OUTCOME, text: ' \n', cost: { reported: 9n } }, unusable(NO_TEXT, 9n)],
    ['white space without a cost', { text: ' ', citations: [] }, unusable(NO_TEXT)],
    ['markers alone, which cost', { ...OUTCOME, text: '[1] [1]\n', cost: { reported: 9n } }, unusable(NO_TEXT, 9n)],
    ['a text that is too long', { ...OUTCOME, text: 'a'.repeat(MAX_ANSWER_LENGTH + 1) }, unusable(NO_TEXT)],
    [
      'a text cut by no limit of the caller',
      { ...OUTCOME, truncated: true, cost: { reported: 9n } },
      unusable(CUT, 9n),
    ],
    ['no text, cut likewise', { ...OUTCOME, text: '', truncated: true }, unusable(CUT)],
    ['a word of being cut', { ...OUTCOME, truncated: 'no' }, unusable(MALFORMED)],
    ['no cost', { ...OUTCOME, cost: undefined }, unusable(MALFORMED)],
    ['a cost that is a string', { ...OUTCOME, cost: 'free' }, unusable(MALFORMED)],
    ['no citations', { ...OUTCOME, citations: undefined }, unusable(MALFORMED)],
    ['null as a citation', { ...OUTCOME, citations: [null] }, unusable(MALFORMED)],
    ['a citation without url', { ...OUTCOME, citations: [{ title: 'A' }] }, unusable(MALFORMED)],
    [
      'a title that is a number',
      { ...OUTCOME, citations: [{ url: 'https://a.example/', title: 1 }] },
      unusable(MALFORMED),
    ],
    [
      'a snippet of the wrong type',
      { ...OUTCOME, citations: [{ url: 'https://a.example/', snippet: 1 }] },
      unusable(MALFORMED),
    ],
    ['findings that are null', { ...OUTCOME, grounding: null }, unusable(MALFORMED)],
    ...[{ removed: undefined }, { removed: -1 }, { removed: 0.5 }, { removed: 100_001 }, { more: 1 }].map(
      (wrong): [string, unknown, unknown[]] => [
        `findings with ${JSON.stringify(wrong)}`,
        { ...OUTCOME, grounding: { ...CHECKED, ...wrong } },
        unusable(MALFORMED),
      ],
    ),
  ])('is unusable: %s', async (_what, outcome, expected) => {
    expect(await outcomeOf(outcome)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['the longest text', { ...OUTCOME, text: 'a'.repeat(MAX_ANSWER_LENGTH) }],
    ['a number', { ...OUTCOME, text: '42' }],
    ['citations with no more than a url', { ...OUTCOME, citations: [{ url: 'u', title: null, snippet: undefined }] }],
    ['findings', { ...OUTCOME, grounding: CHECKED }],
    ['citations with title and snippet', { ...OUTCOME, citations: [{ url: 'u', title: 'T', snippet: 'S' }] }],
  ])('is usable: %s', async (_what, outcome) => {
    expect(await outcomeOf(outcome)).toEqual(['answered', null, null, '']);
  });
});
