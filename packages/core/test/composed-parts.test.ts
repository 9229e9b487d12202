import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { type GatewayOptions, memoryApiKeys } from '../src/index.js';
import type { AnswerAdapter, ModelPart, Provider } from '../src/provider-kit/index.js';
import { askOverHttp, lookUp } from './ask-over-http.js';
import {
  answer,
  composed,
  failing,
  finder,
  found,
  open,
  PAGE,
  PROVENANCE,
  QUESTION,
  row,
  SEARCH,
  SECOND,
  type Search,
} from './composed-models.js';
import { KEY, OUTCOME, scripted } from './scripted-gateway.js';

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
    ['is under way at the deadline', () => new Promise<never>(() => undefined), 'upstream_timeout', 7n],
    ['finds nothing', () => Promise.resolve({ results: [], cost: { reported: 7_000_000n } }), 'no_answer_found', 7n],
  ] as const)('costs its caller nothing where the search %s', async (_what, search, reason, loss) => {
    const { ask, events, ledger } = open([finder('one', search, { timeoutMs: 40_000 }), composed([SEARCH])]);
    expect(await ask()).toBe(reason);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
    expect(events.findLast(({ type }) => type === 'request_finished')).toMatchObject({ loss: loss * 1_000_000n });
  });

  it('loses its search alone to a hedge that wins before the adapter asks anything else', async () => {
    const never = new Promise<never>(() => undefined);
    const { ask, events } = open(
      [finder('one', () => never), composed([SEARCH]), scripted('exa', [OUTCOME]).provider],
      { hedging: { 'ask/brief': { afterMs: 100, with: 'exa/answer', maxExtraCost: '1' }, maxShare: 1 } },
    );
    expect(await ask()).toMatchObject({ model: 'exa/answer' });
    expect(events.findLast(({ type }) => type === 'request_finished')).toMatchObject({ loss: 7_000_000n });
  });

  it('has to have the time that its parts need', () => {
    const start = (timeoutMs: number) => () => open([finder('one', found, { timeoutMs }), composed([SEARCH])]);
    expect(start(120_000)).not.toThrow();
    expect(start(120_004)).toThrow(
      'models["ask/brief"].timeoutMs: found 30000, expected at least 30001, which one/find',
    );
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
      id: 'page',
      name: 'page',
      models: [],
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

  it('costs what its parts cost when its money was set aside', async () => {
    const clock = createFakeClock(Date.UTC(2026, 10, 29, 23, 59, 59));
    const priceOf = (request: string) => ({ kind: 'flat', request, ...PROVENANCE }) as const;
    const later = [
      { ...priceOf('0.007'), validFrom: '2026-11-29' },
      { ...priceOf('0.009'), validFrom: '2026-11-30' },
    ];
    const slow: Search = async (call, context) => {
      await new Promise<void>((resolve) => void clock.schedule(2_000, resolve));
      return found(call, context);
    };
    const one = finder('one', slow, { prices: [priceOf('0.005'), ...later] });
    const { ask, entries } = open([one, composed([SEARCH])], { clock });
    await ask();
    expect(await entries()).toEqual([['charge', 'ask/brief', 8_400_000n]]);
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
});
