import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import {
  createGateway,
  type GatewayEvent,
  type GatewayOptions,
  isRequestError,
  memoryApiKeys,
  memoryLedger,
} from '../src/index.js';
import {
  type AnswerAdapter,
  type ModelPart,
  type ModelRow,
  type Provider,
  UpstreamError,
} from '../src/provider-kit/index.js';
import { askOverHttp, lookUp } from './ask-over-http.js';
import { KEY, whileAdvancing } from './scripted-gateway.js';

const PROVENANCE = { source: 'test', asOf: '2026-11-29', confidence: 'high' } as const;
const PAGE = { url: 'https://example.org/', title: 'A page', snippet: 'Open since 2021.' };
type Search = NonNullable<Provider['search']>['search'];

function row(slug: string, request: string, more: Partial<ModelRow> = {}): ModelRow {
  const about = { slug, name: slug, description: 'Does what the test says.', features: [], contextLength: null };
  return { ...about, prices: [{ kind: 'flat', request, ...PROVENANCE }], maxResults: 20, timeoutMs: 10_000, ...more };
}

function finder(id: string, search: Search, more: Partial<ModelRow> = {}, own: Partial<Provider> = {}): Provider {
  return { id, name: id, models: [], search: { models: [row(`${id}/find`, '0.007', more)], search }, ...own };
}

const found: Search = () => Promise.resolve({ results: [PAGE], cost: {} });
const silent: Search = () => new Promise(() => undefined);
const failing: Search = () => Promise.reject(new UpstreamError('upstream_rejected', { phase: 'headers', status: 400 }));

/** Asks each search, then answers from what was found. */
const answer: AnswerAdapter['answer'] = async ({ query, model }, context) => {
  const searches = model.parts?.map(({ model: slug }) => context.run?.('search', slug, { query }) ?? []) ?? [];
  const [first = []] = await Promise.all(searches);
  const citations = first as readonly { url: string; snippet: string }[];
  if (citations.length === 0) throw new UpstreamError('no_answer_found', { phase: 'shape', status: 200 });
  return { text: 'Open since 2021 [1].', citations, cost: { usage: { inputTokens: 1_000, outputTokens: 100 } } };
};

const QUESTION = { apiKey: KEY, model: 'ask/brief', query: 'Since when?' };
const SEARCH: ModelPart = { kind: 'search', model: 'one/find', most: { results: 10 } };

const SECOND: ModelPart = { ...SEARCH, model: 'two/find' };
const FAILED = new UpstreamError('upstream_error', { phase: 'headers', status: 500 });

function composed(parts: readonly ModelPart[], adapter = answer, more: Partial<Provider> = {}): Provider {
  const price = {
    kind: 'dynamic',
    perMillionInputTokens: '1',
    perMillionOutputTokens: '4',
    typical: '0.002',
    ceiling: '0.01',
    ...PROVENANCE,
  } as const;
  const model = row('ask/brief', '0', { prices: [price], parts, timeoutMs: 30_000, features: ['citations'] });
  return { id: 'ask', name: 'Ask', models: [model], answer: { answer: adapter }, ...more };
}

function open(providers: readonly Provider[], options: Partial<GatewayOptions> = {}) {
  const clock = createFakeClock(Date.UTC(2026, 10, 29));
  const events: GatewayEvent[] = [];
  const ledger = memoryLedger({ credits: { acme: '10' }, clock });
  const apiKeys = memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]);
  const onEvent = (event: GatewayEvent) => void events.push(event);
  const logged: unknown[] = [];
  const logger = { warn: () => undefined, error: ({ error }: { error?: unknown }) => logged.push(error) };
  const gateway = createGateway({ providers, apiKeys, ledger, clock, onEvent, logger, ...options });
  const ask = (more: object = {}) => {
    const asking = gateway.answer({ ...QUESTION, ...more });
    return whileAdvancing(clock, asking, 100).catch((error: unknown) => (isRequestError(error) ? error.reason : error));
  };
  const refusal = () => whileAdvancing(clock, gateway.answer(QUESTION), 100).catch((error: unknown) => error);
  const entries = async () =>
    (await ledger.entries({ organizationId: 'acme' })).entries.flatMap((each) =>
      each.kind === 'charge' || each.kind === 'loss' ? [[each.kind, each.model, each.amount]] : [],
    );
  const attempts = () =>
    events.flatMap((each) => (each.type === 'attempt_finished' ? [[each.model, each.outcome]] : []));
  const pausedOnes = () => gateway.status().providers.flatMap(({ id, state }) => (state === 'paused' ? [id] : []));
  return { gateway, ledger, clock, ask, events, logged, refusal, entries, attempts, pausedOnes };
}

describe('a model that is made of others', () => {
  it('is charged the sum of its parts, and shows them', async () => {
    const { ask, events, ledger, gateway } = open([finder('one', found), composed([SEARCH])]);
    expect(await ask()).toMatchObject({ model: 'ask/brief', usage: { cost: 0.0084 } });
    const last = events.findLast(({ type }) => type === 'request_finished');
    const parts = [
      { model: 'one/find', cost: 7_000_000n },
      { model: 'ask/brief', cost: 1_400_000n },
    ];
    expect(last).toMatchObject({ cost: 8_400_000n, upstreamCost: 8_400_000n, loss: 0n, parts, attempts: 1 });
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 8_400_000n, held: 0n });
    expect(gateway.models({ category: 'answer' })[0]).toMatchObject({ pricing: { request: '-1' } });
    expect(gateway.models({ category: 'answer' })[0]).not.toHaveProperty('free');
  });

  it.each([
    ['fails', failing, 'upstream_rejected', 0n],
    ['finds nothing', () => Promise.resolve({ results: [], cost: { reported: 7_000_000n } }), 'no_answer_found', 7n],
  ] as const)('costs its caller nothing where the search %s', async (_what, search, reason, loss) => {
    const { ask, events, ledger } = open([finder('one', search), composed([SEARCH])]);
    expect(await ask()).toBe(reason);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
    expect(events.findLast(({ type }) => type === 'request_finished')).toMatchObject({ loss: loss * 1_000_000n });
  });
});

describe('a gateway with composed models', () => {
  const withParts = finder('two', found, { parts: [SEARCH] });
  it.each<readonly [string, readonly Provider[], readonly ModelPart[], Partial<GatewayOptions>]>([
    ['that no model serves', [], [{ ...SEARCH, model: 'none/find' }], {}],
    ['of another category', [], [{ ...SEARCH, kind: 'extract' }], {}],
    ['that is named twice', [], [SEARCH, SEARCH], {}],
    ['that is a composed model', [], [{ ...SEARCH, model: 'ask/brief' }], {}],
    ['that has parts itself', [withParts], [SECOND], {}],
    ['that is hidden', [], [SEARCH], { models: { 'one/find': { hidden: true } } }],
    ['that may lead to a model with parts', [withParts], [SEARCH], { fallbacks: { 'one/find': ['two/find'] } }],
  ])('refuses to start with a part %s', (_what, more, parts, options) => {
    const providers = [finder('one', found), ...more];
    expect(() => open([...providers, composed(parts)], options)).toThrow(
      /^models\["ask\/brief"\]\.parts\[[01]\]: found/m,
    );
  });

  it('has the policies that all models of its parts have', async () => {
    const own = (policies: readonly string[]) => ({ policies });
    const { gateway, ask } = open(
      [
        finder('one', found, {}, own(['eu', 'zdr'])),
        finder('two', found, {}, own(['eu'])),
        composed([SEARCH], answer, own(['eu', 'zdr', 'own'])),
      ],
      { fallbacks: { 'one/find': ['two/find'] } },
    );
    expect(gateway.models({ category: 'answer' })[0]).toMatchObject({ policies: ['eu'] });
    expect(await ask({ routing: { require: ['eu'] } })).toHaveProperty('answer');
    expect(await ask({ routing: { require: ['zdr'] } })).toBe('policy_not_met');
  });

  it('takes the search options and values that each search takes, and no other before anything is held', async () => {
    const asked: unknown[] = [];
    const search: Search = ({ search: options }) => {
      asked.push(options);
      return Promise.resolve({ results: [PAGE, { ...PAGE, url: 'https://example.com/' }], cost: {} });
    };
    const includeDomains = { as: 'domains', max: 2 };
    const language = (values: readonly string[]) => ({ as: 'lang', values });
    const all = { includeDomains: { as: 'sites' }, language: language(['de', 'fr']), freshness: { as: 'age' } };
    const { ask, gateway, events } = open(
      [
        finder('one', search, { options: all }),
        finder('two', search, { options: { includeDomains, language: language(['en', 'de']) } }),
        finder('last', search, { options: all }),
        composed([SEARCH, SECOND]),
      ],
      { fallbacks: { 'two/find': ['last/find'] } },
    );
    expect(gateway.models({ category: 'answer' })[0]).toMatchObject({ options: ['includeDomains', 'language'] });
    const refused = [
      { freshness: 'day' },
      { language: 'fr' },
      { includeDomains: ['a.example', 'b.example', 'c.example'] },
    ];
    for (const options of refused) expect(await ask({ search: options })).toBe('unsupported_option');
    const finished = events.filter(({ type }) => type === 'request_finished');
    expect(finished.map((each) => Reflect.get(each, 'answerId'))).toEqual([null, null, null]);
    const citations = [{ url: 'https://example.org/' }];
    expect(await ask({ search: { includeDomains: ['example.org'], language: 'de' } })).toMatchObject({ citations });
    expect(asked).toEqual(
      [1, 2].map(() => expect.objectContaining({ includeDomains: ['example.org'], language: 'de' }) as object),
    );
  });

  it('keeps the domain rules of the key in each part, and asks parts that the key may not ask itself', async () => {
    const rules = { allowedModels: ['ask/brief'], domains: { never: ['example.com'] } };
    const key = { apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', ...rules };
    const read: string[][] = [];
    const page: Provider = {
      ...{ id: 'page', name: 'page', models: [] },
      extract: {
        models: [row('page/read', '0.001')],
        maxUrls: 5,
        extract({ urls }) {
          read.push([...urls]);
          return Promise.resolve({ pages: urls.map((url) => ({ url, content: 'Yes.' })), cost: {} });
        },
      },
    };
    const urls = ['https://example.com/', 'https://example.org/', 'http://127.0.0.1/'];
    const both: AnswerAdapter['answer'] = async (question, context) => {
      await context.run?.('extract', 'page/read', { urls });
      expect(await context.run?.('extract', 'alias', { urls: urls.slice(2) })).toEqual([]);
      return answer({ ...question, model: { ...question.model, parts: [SEARCH] } }, context);
    };
    const options = { excludeDomains: { as: 'never' } };
    const extract = (model: string): ModelPart => ({ kind: 'extract', model, most: { pages: 3 } });
    const search: Search = () =>
      Promise.resolve({ results: urls.slice(0, 2).map((url) => ({ ...PAGE, url })), cost: {} });
    const { ask } = open(
      [page, finder('one', search, { options }), composed([SEARCH, extract('page/read'), extract('alias')], both)],
      { apiKeys: memoryApiKeys([key]), aliases: { alias: 'page/read' } },
    );
    expect(await ask()).toMatchObject({ citations: [{ url: 'https://example.org/' }] });
    expect(read).toEqual([['https://example.org/']]);
    expect(await ask({ model: 'one/find' })).toBe('model_category_mismatch');
  });

  it.each([
    ['are free', '0', true],
    ['cost something', '0.007', undefined],
  ])('is free where all its parts %s', (_what, request, free) => {
    const model = row('ask/brief', '0', { parts: [SEARCH] });
    const one = { ...finder('one', found), search: { models: [row('one/find', request)], search: found } };
    const { gateway } = open([one, composed([], answer, { models: [model] })]);
    const [listed] = gateway.models({ category: 'answer' });
    expect([listed?.free, listed?.pricing.request]).toEqual([free, free ? '0' : '-1']);
  });
});

describe('a part that fails', () => {
  it('pauses its own provider alone, which is then named to the caller as unavailable', async () => {
    const { refusal, pausedOnes } = open([finder('one', () => Promise.reject(FAILED)), composed([SEARCH])], {
      providerFailureThreshold: 1,
    });
    const details = { provider: 'one', model: 'one/find', attempts: 1 };
    expect(await refusal()).toMatchObject({ reason: 'upstream_error', details });
    expect(pausedOnes()).toEqual(['one']);
    expect(await refusal()).toMatchObject({
      reason: 'upstream_unavailable',
      status: 503,
      retryAfterMs: expect.any(Number) as number,
    });
  });

  it('leaves the chat to pause the composed provider', async () => {
    const chat: AnswerAdapter['answer'] = async (question, context) => {
      await answer(question, context);
      throw FAILED;
    };
    const plain = { ...composed([], answer), id: 'plain', models: [row('plain/answer', '0.001')] };
    const { ask, pausedOnes, attempts, entries } = open([finder('one', found), composed([SEARCH], chat), plain], {
      providerFailureThreshold: 1,
      fallbacks: { 'ask/brief': ['plain/answer'] },
    });
    expect(await ask()).toBe('no_answer_found');
    // Not again, which would buy the parts again: its fallback.
    expect(attempts()).toEqual([
      ['one/find', 'answered'],
      ['ask/brief', 'upstream_error'],
      ['plain/answer', 'no_answer_found'],
    ]);
    expect([pausedOnes(), await entries()]).toEqual([['ask'], [['loss', 'one/find', 7_000_000n]]]);
  });

  it.each([
    ['is still under way', {}, 'upstream_timeout', [['loss', 'one/find', 7_000_000n]]],
    ['waits for a slot', { limits: { maxConcurrent: 1, maxQueueMs: 60_000 } }, 'upstream_rate_limited', []],
  ])('for want of time while it %s names its own model, and pauses nobody', async (_what, own, reason, lost) => {
    const { gateway, clock, refusal, pausedOnes, entries } = open(
      [finder('one', silent, { timeoutMs: 100_000 }, own), composed([SEARCH])],
      { providerFailureThreshold: 1 },
    );
    if ('limits' in own) void gateway.search({ apiKey: KEY, model: 'one/find', query: 'x' }).catch(() => undefined);
    await clock.advance(0);
    expect(await refusal()).toMatchObject({ reason, details: { provider: 'one', model: 'one/find' } });
    expect([pausedOnes(), await entries()]).toEqual([[], lost]);
  });

  it.each<readonly [string, AnswerAdapter['answer'], number]>([
    [
      'twice',
      (_question, context) => context.run!('search', 'one/find', { query: 'a' }).then(() => answer(_question, context)),
      1,
    ],
    ['that it does not have', (_question, context) => context.run!('search', 'two/find', { query: 'a' }) as never, 0],
    ['with wrong fields', (_question, context) => context.run!('search', 'one/find', { query: '' }) as never, 0],
  ])('because its adapter asks for one %s is a bug of the adapter', async (_what, adapter, bought) => {
    const { ask, logged, entries } = open([finder('one', found), finder('two', found), composed([SEARCH], adapter)]);
    expect(await ask()).toBe('upstream_invalid_response');
    expect([logged.length, (await entries()).length]).toEqual([1, bought]);
  });

  it('because its answer has ended is not asked', async () => {
    const late: Promise<unknown>[] = [];
    const adapter: AnswerAdapter['answer'] = (question, context) => {
      const asked = new Promise(setImmediate).then(() => context.run!('search', 'one/find', { query: 'a' }));
      late.push(asked.catch((error: unknown) => String(error)));
      return answer({ ...question, model: { ...question.model, parts: [SECOND] } }, context);
    };
    const { ask, attempts } = open([finder('one', found), finder('two', found), composed([SEARCH, SECOND], adapter)]);
    expect(await ask()).toHaveProperty('answer');
    expect([await late[0], attempts()]).toEqual([
      'Error: no part search one/find is left to be asked',
      [
        ['two/find', 'answered'],
        ['ask/brief', 'answered'],
      ],
    ]);
  });
});

describe('an answer made of parts', () => {
  it('waits for a slot of its part', async () => {
    let most = 0;
    let underWay = 0;
    const { ask, clock } = open([
      finder(
        'one',
        (call, context) => {
          most = Math.max(most, (underWay += 1));
          return new Promise((resolve) => {
            clock.schedule(500, () => {
              underWay -= 1;
              resolve(found(call, context));
            });
          });
        },
        {},
        { limits: { maxConcurrent: 1, maxQueueMs: 5_000 } },
      ),
      composed([SEARCH]),
    ]);
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect([most, answers.map((each) => Object.hasOwn(each as object, 'answer'))]).toEqual([1, [true, true, true]]);
  });

  it('streams', async () => {
    const stream: AnswerAdapter['stream'] = async (question, context, live) => {
      const outcome = await answer(question, context);
      live.citations(outcome.citations);
      live.text('Open since');
      return outcome;
    };
    const [model] = composed([SEARCH]).models;
    const models = [{ ...model!, features: ['citations', 'streaming'] as const }];
    const ask = composed([SEARCH], answer, { models, answer: { answer, stream } });
    const { gateway } = open([finder('one', found), ask]);
    const events: unknown[] = [];
    for await (const event of gateway.answerStream(QUESTION)) events.push(event);
    expect(events.map((event) => Reflect.get(event as object, 'type'))).toEqual([
      'start',
      'citations',
      'delta',
      'delta',
      'done',
    ]);
    expect(events.at(-1)).toMatchObject({ answer: { usage: { cost: 0.0084 } } });
  });

  it('costs what its parts cost and the fee, with a key of the organization for the chat alone', async () => {
    const find = (_organizationId: string, id: string) =>
      Promise.resolve(id === 'ask' ? { apiKey: 'own-key-of-acme' } : null);
    const byok = { keys: { find }, fee: { share: '0.5' } } as const;
    const { ask, entries } = open([finder('one', found), composed([SEARCH], answer, { ownKeys: true })], { byok });
    expect(await ask()).toMatchObject({ usage: { cost: 0.0077, byok: true } });
    expect(await entries()).toEqual([['charge', 'ask/brief', 7_700_000n]]);
  });

  it('is charged once where its caller comes back for it', async () => {
    const { gateway, events, entries } = open([finder('one', found), composed([SEARCH])], {
      endpoints: { asyncAnswers: true },
    });
    const asking = { headers: { prefer: 'respond-async' }, body: { model: 'ask/brief' } };
    const { body } = await askOverHttp(gateway, asking);
    await expect.poll(() => events.some(({ type }) => type === 'answer_finished')).toBe(true);
    expect((await lookUp(gateway, body['id'])).body).toMatchObject({ status: 'charged', cost: 0.0084 });
    expect(await entries()).toEqual([['charge', 'ask/brief', 8_400_000n]]);
  });

  it.each(['search', 'chat', 'settle'])(
    'costs nothing where its process is killed in the %s, and once where it is asked for again',
    async (when) => {
      const never = new Promise<never>(() => undefined);
      let isKilled = false;
      const killed = (at: string) => (isKilled ||= at === when);
      const clock = createFakeClock(Date.UTC(2026, 10, 29));
      const ledger = memoryLedger({ credits: { acme: '10' }, clock });
      const dying = new Proxy(ledger, {
        get(target, name) {
          const verb: unknown = Reflect.get(target, name);
          if (typeof verb !== 'function') return verb;
          return (...given: unknown[]) =>
            killed(String(name)) ? never : (Reflect.apply(verb, target, given) as unknown);
        },
      });
      const schedule = (ms: number, due: () => void) => clock.schedule(ms, () => void (isKilled || due()));
      const search: Search = (call, context) => (killed('search') ? never : found(call, context));
      const chat: AnswerAdapter['answer'] = async (question, context) => {
        const outcome = await answer(question, context);
        return killed('chat') ? never : outcome;
      };
      const call = { ...QUESTION, idempotencyKey: 'one-and-the-same' };
      const before = open([finder('one', search), composed([SEARCH], chat)], {
        clock: { ...clock, schedule },
        ledger: dying,
      });
      void before.gateway.answer(call).catch(() => undefined);
      await clock.advance(1_000);
      const after = open([finder('one', found), composed([SEARCH])], { clock, ledger });
      expect([isKilled, (await ledger.organizationTotals('acme')).held]).toEqual([true, 9_000_000n]);
      await clock.advance(600_000);
      expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
      expect(await whileAdvancing(clock, after.gateway.answer(call))).toHaveProperty('answer');
      const { entries } = await ledger.entries({ organizationId: 'acme' });
      expect(entries.filter(({ kind }) => kind !== 'grant')).toMatchObject([
        { kind: 'expired', amount: 9_000_000n },
        { kind: 'charge', amount: 8_400_000n },
      ]);
    },
  );
});
