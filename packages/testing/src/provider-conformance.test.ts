import {
  type AnswerAdapter,
  type AnswerOutcome,
  type CallContext,
  composeAnswer,
  type ModelRow,
  type Provider,
  type ProviderLimits,
  type ProviderQuestion,
  parseJsonObject,
  type Source,
  UpstreamError,
  type UpstreamRequest,
  upstreamFailure,
} from '@searchgate/core/provider-kit';
import { describe, expect, it } from 'vitest';
import type { AnswerFixture, ProviderFixture } from './provider/provider-fixture.js';
import { providerConformance } from './provider-conformance.js';

const SECRET = 'a-key-of-many-characters';
const MODEL: ModelRow = {
  slug: 'mini/answer',
  name: 'Mini',
  description: 'The smallest provider there is.',
  prices: [{ kind: 'flat', request: '0.001', source: 'its own words', asOf: '2026-11-21', confidence: 'high' }],
  features: ['citations'],
  contextLength: null,
  timeoutMs: 1_000,
};
const FIXTURES: ProviderFixture[] = [
  {
    name: 'an answer',
    model: 'mini/answer',
    reply: { answer: 'Yes [1][2].', citations: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }] },
    answer: {
      text: 'Yes [1][2].',
      citations: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
      cost: {},
    },
  },
  {
    name: 'a refusal',
    model: 'mini/answer',
    status: 418,
    reply: { error: 'no' },
    failure: { reason: 'query_rejected', phase: 'headers' },
  },
];

interface Flaws {
  readonly keyParameter?: string;
  /** Declares own keys of organizations, and sends this one. */
  readonly ownKey?: (apiKey: string | undefined) => string;
  readonly model?: Partial<ModelRow>;
  readonly request?: (request: UpstreamRequest, query: string, search?: ProviderQuestion['search']) => UpstreamRequest;
  /** Reads the reply's list of citations. */
  readonly sources?: (citations: readonly unknown[]) => Source[];
  readonly outcome?: (outcome: AnswerOutcome) => AnswerOutcome;
  readonly answer?: (
    call: ProviderQuestion,
    context: CallContext,
    proper: AnswerAdapter['answer'],
  ) => Promise<AnswerOutcome>;
}

/** An invalid entry keeps its place. */
function sourcesIn(citations: readonly unknown[]): Source[] {
  return citations.map((citation) => {
    const { url } = { url: undefined, ...(citation as { url?: unknown } | null) };
    return { url: typeof url === 'string' ? url : null };
  });
}

/** A correct provider, except for the given flaws. */
function mini(
  baseUrl: string,
  {
    model = {},
    request: alter = (request) => request,
    sources: readSources = sourcesIn,
    outcome: spoil = (outcome) => outcome,
    ownKey,
    answer,
  }: Flaws,
): Provider {
  const proper = async (
    { query, search }: ProviderQuestion,
    { upstream, apiKey }: CallContext,
  ): Promise<AnswerOutcome> => {
    const url = new URL(`${baseUrl}/answer`);
    const response = await upstream.send(
      alter({ method: 'POST', url, headers: { 'x-key': ownKey?.(apiKey) ?? SECRET }, json: { query } }, query, search),
    );
    if (response.status === 418) throw upstreamFailure(response, { reason: 'query_rejected', secrets: [SECRET] });
    if (response.status !== 200) throw upstreamFailure(response, { secrets: [SECRET] });
    const reply = parseJsonObject(response, [SECRET]);
    const { answer: text, citations } = reply;
    if (typeof text !== 'string' || !Array.isArray(citations)) throw upstreamFailure(response, { secrets: [SECRET] });
    const sources = readSources(citations as unknown[]);
    return spoil(composeAnswer({ text, sources, cost: {} }));
  };
  return {
    id: 'mini',
    name: 'Mini',
    models: [{ ...MODEL, ...model }],
    ownKeys: ownKey !== undefined,
    answer: {
      answer: (call, context) => (answer === undefined ? proper(call, context) : answer(call, context, proper)),
    },
  };
}

/** Runs the suite, or one of its tests, with a minimal runner. @returns the names of the failed tests. */
async function failuresWith(flaws: Flaws, only?: string, fixtures = FIXTURES): Promise<string[]> {
  const tests: { name: string; body: () => Promise<void> }[] = [];
  providerConformance({
    describe: (_name, body) => body(),
    it: (name, body) => tests.push({ name, body }),
    secret: SECRET,
    create: (baseUrl) => mini(baseUrl, flaws),
    evidence: { reply: 'valid JSON', stream: ['{"text":'] },
    ...(flaws.keyParameter === undefined ? {} : { keyParameter: flaws.keyParameter }),
    fixtures,
  });
  const wanted = tests.filter(({ name }) => only === undefined || name === only);
  expect(wanted.length).toBe(only === undefined ? 38 + (flaws.ownKey === undefined ? 0 : 1) : 1);
  const failed: string[] = [];
  for (const { name, body } of wanted) await body().catch(() => failed.push(name));
  return failed;
}

const STREAM = 'data: {"text":"Yes [1]"}\n\ndata: {"text":"[2]."}\n\ndata: [DONE]\n\n';

/** Answers from a stream, up to its last word or until it breaks off. */
function readStream(waitForEnd: boolean): Required<Flaws>['answer'] {
  return async (_call, { upstream }) => {
    const response = await upstream.send({ method: 'POST', url: new URL('http://127.0.0.1:9'), headers: {} });
    const events = response.text.split('\n\n').slice(0, -1);
    const isWhole = events.at(-1) === 'data: [DONE]' || !waitForEnd;
    const texts = events.filter((event) => event.startsWith('data: {"text":"')).map((event) => event.slice(15, -2));
    if (!isWhole || texts.length === 0) throw upstreamFailure(response, { secrets: [SECRET] });
    const citations = [{ url: 'https://a.example/' }, { url: 'https://b.example/' }];
    return { text: texts.join(''), citations, cost: {} };
  };
}

/** A request with the secret in the parameters of its URL. */
function withKey(request: UpstreamRequest, ...names: string[]): UpstreamRequest {
  const url = new URL(request.url);
  for (const name of ['key', ...names]) url.searchParams.set(name, SECRET);
  return { ...request, url };
}

describe('the provider conformance suite', () => {
  it('passes a correct provider', async () => {
    expect(await failuresWith({})).toEqual([]);
  });

  it.each<[string, Partial<ModelRow>]>([
    ['a slug of another provider', { slug: 'other/answer' }],
    ['no price', { prices: [] }],
    ['a price in words', { prices: [{ ...MODEL.prices[0]!, kind: 'flat', request: 'free' }] }],
    ['prices out of order', { prices: [{ ...MODEL.prices[0]!, validFrom: '2027-01-01' }, MODEL.prices[0]!] }],
    ['an invalid date', { prices: [{ ...MODEL.prices[0]!, asOf: 'November 2026' }] }],
    ['no source', { prices: [{ ...MODEL.prices[0]!, source: ' ' }] }],
    ['no time', { timeoutMs: 0 }],
  ])('sees %s in a model', async (_what, model) => {
    expect(await failuresWith({ model }, 'declares models that can be listed and priced')).toHaveLength(1);
  });

  it('treats undefined as absent', async () => {
    const outcome: Flaws['outcome'] = ({ text, citations, cost }) => ({
      text,
      citations: citations.map(({ url }) => ({ url, title: undefined })),
      cost: { ...cost, usage: undefined },
      servedModel: undefined,
    });
    expect(await failuresWith({ outcome })).toEqual([]);
  });

  it('sees lost limits if the factory takes limits', async () => {
    const name = 'hands its limits to the gateway';
    const failures = async (create: (baseUrl: string, limits?: ProviderLimits) => Provider) => {
      const tests = new Map<string, () => Promise<void>>();
      providerConformance({
        describe: (_name, body) => body(),
        it: (test, body) => void tests.set(test, body),
        secret: SECRET,
        create,
        evidence: { reply: 'valid JSON' },
        fixtures: FIXTURES,
      });
      return tests
        .get(name)?.()
        .then(
          () => 0,
          () => 1,
        );
    };
    expect(await failures((baseUrl, limits) => ({ ...mini(baseUrl, {}), limits }))).toBe(0);
    expect(await failures((baseUrl, _limits) => mini(baseUrl, {}))).toBe(1);
    expect(await failures((baseUrl) => mini(baseUrl, {}))).toBeUndefined();
  });

  it('requires a fixture with an answer for each model', async () => {
    expect(await failuresWith({}, 'sends a proper request for mini/answer', FIXTURES.slice(1))).toHaveLength(1);
  });

  it.each<[string, Required<Flaws>['request']]>([
    ['the base URL’s path left out', (request) => ({ ...request, url: new URL('/answer', request.url) })],
    ['no key', (request) => ({ ...request, headers: {} })],
    ['the key in the URL', (request) => ({ ...request, url: new URL(`?key=${SECRET}`, request.url) })],
    [
      'the question in the URL',
      (request, query) => ({ ...request, url: new URL(`?q=${encodeURIComponent(query)}`, request.url) }),
    ],
    ['the question in a header', (request) => ({ ...request, headers: { ...request.headers, 'x-topic': 'Zephyr' } })],
    ['a question that was changed', (request, query) => ({ ...request, json: { query: query.toLowerCase() } })],
  ])('sees %s', async (_what, request) => {
    expect(await failuresWith({ request }, 'sends a proper request for mini/answer')).toHaveLength(1);
  });

  it.each<[string, Flaws['ownKey'], string[]]>([
    ['accepts a provider without own keys', undefined, []],
    ['accepts the key of the organization', (apiKey = SECRET) => apiKey, []],
    ['sees that of the operator', () => SECRET, ['sends the key of an organization for an answer from mini/answer']],
    [
      'sees both',
      (apiKey) => `${apiKey} ${SECRET}`,
      ['sends the key of an organization for an answer from mini/answer'],
    ],
  ])('of the key that is sent: %s', async (_what, ownKey, failures) => {
    const failed = await failuresWith(ownKey === undefined ? {} : { ownKey });
    expect(failed.filter((name) => name.startsWith('sends the key'))).toEqual(failures);
  });

  it.each<[string, Required<Flaws>['request'], number]>([
    [
      'accepts one that goes into a field',
      (request, query, search) => ({ ...request, json: { query, age: search?.freshness } }),
      0,
    ],
    [
      'accepts one that goes into a field within',
      (request, query, search) => ({ ...request, json: { query, filters: [{ age: { of: search?.freshness } }] } }),
      0,
    ],
    [
      'sees one that goes into another field than is declared',
      (request, query, search) => ({ ...request, json: { query, ages: search?.freshness } }),
      1,
    ],
    ['sees one that changes nothing', (request) => request, 1],
    [
      'sees one that is put into the question',
      (request, query, search) => ({ ...request, json: { query: search ? `${query} of this week` : query } }),
      1,
    ],
  ])('%s, of the search options that are declared', async (what, request, failures) => {
    const as = what.endsWith('within') ? 'filters[].age' : 'age';
    const flaws = { request, model: { options: { freshness: { as } } } };
    expect(await failuresWith(flaws, 'asks for the search options that mini/answer declares')).toHaveLength(failures);
  });

  it.each<[string, Required<Flaws>['request'], number]>([
    ['accepts the key there alone', (request) => ({ ...withKey(request), headers: {} }), 0],
    ['sees the key in a header', (request) => request, 1],
    ['sees the key in a header as well', (request) => withKey(request), 1],
    ['sees the key in another parameter as well', (request) => ({ ...withKey(request, 'key', 'k'), headers: {} }), 1],
  ])('for a key in the URL: %s', async (_what, request, failures) => {
    const flaws = { request, keyParameter: 'key' };
    expect(await failuresWith(flaws, 'sends a proper request for mini/answer')).toHaveLength(failures);
  });

  it.each<[string, Required<Flaws>['outcome']]>([
    ['a lost citation', (outcome) => ({ ...outcome, text: 'Yes [1].', citations: outcome.citations.slice(0, 1) })],
    ['citations out of order', (outcome) => ({ ...outcome, citations: outcome.citations.toReversed() })],
    ['a citation twice', (outcome) => ({ ...outcome, citations: [...outcome.citations, ...outcome.citations] })],
    ['a marker that points nowhere', (outcome) => ({ ...outcome, text: 'Yes [3].' })],
    ['a marker of another form', (outcome) => ({ ...outcome, text: 'Yes [[1]].' })],
    ['an empty text', (outcome) => ({ ...outcome, text: ' ' })],
    ['an invented cost', (outcome) => ({ ...outcome, cost: { reported: 1n } })],
  ])('sees %s', async (_what, outcome) => {
    expect(await failuresWith({ outcome }, 'understands an answer from mini/answer')).toHaveLength(1);
  });

  it.each<[string, Required<Flaws>['sources']]>([
    [
      'an answer lost by',
      (citations) => citations.map((citation) => ({ url: (citation as { url: string }).url.trim() })),
    ],
    ['citations lost by', (citations) => (citations.every(Boolean) ? sourcesIn(citations) : [])],
    ['markers moved by', (citations) => sourcesIn(citations).filter(({ url }) => url !== null)],
  ])('sees %s an entry that is no source', async (_what, sources) => {
    const name = 'loses only the invalid entries of lists in an answer from mini/answer';
    const text = 'One [1], two [2].';
    const [whole] = FIXTURES as [AnswerFixture];
    const apart = { ...whole, reply: { ...(whole.reply as object), answer: text }, answer: { ...whole.answer, text } };
    expect(await failuresWith({}, name, [apart])).toEqual([]);
    expect(await failuresWith({ sources }, name, [apart])).toHaveLength(1);
  });

  it('sees a stream event lost because of an invalid source', async () => {
    const [whole, ...others] = FIXTURES as [AnswerFixture, ...ProviderFixture[]];
    const fixtures = [
      { ...whole, reply: STREAM.replace('data: [DONE]', 'data: {"pages":["a"]}\n\ndata: [DONE]') },
      ...others,
    ];
    const name = 'loses only the invalid entries of lists in an answer from mini/answer';
    const answer: Flaws['answer'] = (call, context) =>
      readStream(true)(call, context, () => Promise.reject(new Error('is not asked')));
    const picky: Flaws['answer'] = async (call, context, proper) => {
      const { text } = await context.upstream.send({ method: 'POST', url: new URL('http://127.0.0.1:9'), headers: {} });
      if (text.includes('null')) throw new UpstreamError('upstream_invalid_response', { phase: 'shape' });
      return answer(call, context, proper);
    };
    expect(await failuresWith({ answer }, name, fixtures)).toEqual([]);
    expect(await failuresWith({ answer: picky }, name, fixtures)).toHaveLength(1);
  });

  it('sees a truncated stream accepted as complete', async () => {
    const [whole, ...others] = FIXTURES as [AnswerFixture, ...ProviderFixture[]];
    const fixtures = [{ ...whole, reply: STREAM }, ...others];
    const name = 'refuses a truncation of an answer from mini/answer';
    expect(await failuresWith({ answer: readStream(false) }, name, fixtures)).toHaveLength(1);
    expect(await failuresWith({ answer: readStream(true) }, name, fixtures)).toEqual([]);
  });

  it('replaces values in the events of a stream', async () => {
    const [whole, ...others] = FIXTURES as [AnswerFixture, ...ProviderFixture[]];
    const fixtures = [{ ...whole, reply: STREAM }, ...others];
    const name = 'survives any value in an answer from mini/answer';
    const answer: Flaws['answer'] = async (call, context) => {
      const outcome = await readStream(true)(call, context, () => Promise.reject(new Error('is not asked')));
      if (!outcome.text.includes('[1]')) throw new TypeError('a text without a marker');
      return outcome;
    };
    expect(await failuresWith({ answer: readStream(true) }, name, fixtures)).toEqual([]);
    expect(await failuresWith({ answer }, name, fixtures)).toHaveLength(1);
  });

  it('sees a second request after a failure', async () => {
    const answer: Flaws['answer'] = (call, context, proper) => proper(call, context).catch(() => proper(call, context));
    expect(await failuresWith({ answer }, 'classifies status_500')).toHaveLength(1);
  });

  it('sees an error that is not an UpstreamError', async () => {
    const answer: Flaws['answer'] = async (call, context, proper) => {
      try {
        return await proper(call, context);
      } catch {
        throw new TypeError('cannot read properties of undefined');
      }
    };
    expect(await failuresWith({ answer }, 'survives any value in an answer from mini/answer')).toHaveLength(1);
    expect(await failuresWith({ answer }, 'understands a refusal from mini/answer')).toHaveLength(1);
    expect(await failuresWith({ answer }, 'classifies no_bytes')).toHaveLength(1);
  });

  it('sees the key in an error', async () => {
    const answer: Flaws['answer'] = (call, context, proper) =>
      proper(call, context).catch((error: UpstreamError) => {
        throw new UpstreamError(error.reason, {
          phase: error.phase,
          status: error.status,
          detail: `wrong key ${SECRET.slice(2, 12)}…`,
        });
      });
    expect(await failuresWith({ answer }, 'hides the key when a 401 repeats it')).toHaveLength(1);
  });

  it('sees a misclassified fault', async () => {
    const answer: Flaws['answer'] = (call, context, proper) =>
      proper(call, context).catch((error: UpstreamError) => {
        throw error.status === 402
          ? new UpstreamError('upstream_rate_limited', { phase: error.phase, status: error.status })
          : error;
      });
    expect(await failuresWith({ answer })).toEqual(['classifies status_402']);
  });
});
