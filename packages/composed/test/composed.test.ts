import { UpstreamError } from '@searchgate/core/provider-kit';
import { FAULT_EXPECTATIONS, FAULTS, startFaultUpstream } from '@searchgate/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { requestOf } from '../src/compose.js';
import { readSettings } from '../src/settings.js';
import { type Ask, ask, completion, page, providerFor, saying, startChat } from './host.js';

const BRIDGE = 'The Zephyr Bridge opened on 14 May 2021 and cost 3.5 million euros.';
const DESIGN = 'Harlan Cole designed the Zephyr Bridge.';
const SCRIPT = {
  search: () => [
    page('https://a.example/bridge', BRIDGE, 'Zephyr Bridge'),
    page('https://b.example/news', DESIGN, 'News'),
  ],
};
const ANSWER =
  'It was designed by Harlan Cole.[2] The bridge opened on May 14, 2021 [1]. It cost 9.5 million euros [1].';
const CITATIONS = [
  { url: 'https://b.example/news', title: 'News', snippet: DESIGN },
  { url: 'https://a.example/bridge', title: 'Zephyr Bridge', snippet: BRIDGE },
];
const USAGE = { inputTokens: 1_200, outputTokens: 30, cachedInputTokens: 200 };

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

async function serve(...args: Parameters<typeof saying>) {
  const server = await startChat(saying(...args));
  closers.push(server.close);
  return server;
}

type Options = Omit<Ask, 'baseUrl' | 'script'> & { readonly script?: Ask['script'] };

/** Asks a chat model that says a text, whole and as a stream, which have to agree. */
async function answered(text: string, options: Options = {}) {
  const { baseUrl, requests } = await serve(text);
  const [whole, streamed] = await Promise.all(
    [false, true].map((isLive) => ask({ baseUrl, script: SCRIPT, isLive, ...options })),
  );
  if (whole === undefined || streamed === undefined) throw new Error('no answer');
  expect(streamed.outcome).toEqual(whole.outcome);
  const { text: said, markers, citations } = streamed.outcome;
  expect(streamed).toMatchObject({ text: said, markers, citations });
  return { ...whole.outcome, asked: whole.asked, requests };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => (error instanceof UpstreamError ? error : Promise.reject(error as Error)),
  );

describe('an answer', () => {
  it('has the citations that hold, by their first use, with the passage that holds', async () => {
    const { text, markers, citations, grounding, cost, ...ids } = await answered(ANSWER);
    expect(text).toBe(
      'It was designed by Harlan Cole.[1] The bridge opened on May 14, 2021 [2]. It cost 9.5 million euros.',
    );
    expect(markers?.map(({ start, end }) => text.slice(start, end))).toEqual(['[1]', '[2]']);
    expect(citations).toEqual(CITATIONS);
    expect(grounding).toEqual({ sentences: 3, supported: 2, unsupported: 1, removed: 1 });
    expect(cost).toEqual({ usage: USAGE });
    expect(ids).toMatchObject({ upstreamRequestId: 'chat-1', servedModel: 'm-2026' });
  });

  it.each([
    [
      'marks what does not hold, once in a sentence',
      { onUnsupported: 'mark' },
      'Cole [2]. It cost 9.5 million [1] euros [7].',
      'Cole [1]. It cost 9.5 million [?] euros.',
    ],
    [
      'keeps known citations unchecked',
      { check: 'off', onUnsupported: 'fail' },
      'It cost 9.5 million [1][7].',
      'It cost 9.5 million [1].',
    ],
    ['takes out numbers of no source', {}, 'Cole [2][9]. Yes [1-3].', 'Cole [1]. Yes.'],
    [
      'takes out links that are not of a source',
      {},
      'Harlan Cole designed it [2], says [b](https://b.example/news/) or [x](https://x.example/?q=1), ![i](https://b.example/news).',
      'Harlan Cole designed it [1], says [b](https://b.example/news) or x, i.',
    ],
    ['takes out links that run a script', {}, 'Cole [2]. [b](javascript://b.example/news#%0aalert(1))', 'Cole [1]. b'],
    [
      'makes no link of a marker',
      { check: 'off' },
      'Cole 【1】(https:&#47;&#47;x.example/).\n[1]: https:&#47;&#47;x.example/',
      'Cole [1] (https:&#47;&#47;x.example/).\n[1] : https:&#47;&#47;x.example/',
    ],
    ['shows no thoughts', {}, '<think>Who [1]?</think>Cole [2].', 'Cole [1].'],
  ] as const)('%s', async (_, model, said, text) => {
    expect((await answered(said, { model })).text).toBe(text);
  });

  it('has no grounding without a check', async () => {
    expect(await answered('It cost nothing [1].', { model: { check: 'off' } })).not.toHaveProperty('grounding');
  });

  it('fails by a citation that does not hold where the settings say so', async () => {
    const { baseUrl } = await serve(ANSWER);
    for (const isLive of [false, true]) {
      const asked = ask({ baseUrl, script: SCRIPT, isLive, model: { onUnsupported: 'fail' } });
      expect(await failureOf(asked)).toMatchObject({ reason: 'upstream_invalid_response', usage: USAGE });
    }
    expect((await answered('Cole [2].', { model: { onUnsupported: 'fail' } })).text).toBe('Cole [1].');
  });

  it('is none without a sentence that holds: nothing is handed over, and the chat model has to be paid', async () => {
    const { baseUrl } = await serve('I think so. It cost 9.5 million euros [1].');
    for (const isLive of [false, true])
      expect(await failureOf(ask({ baseUrl, script: SCRIPT, isLive }))).toMatchObject({
        reason: 'no_answer_found',
        usage: USAGE,
      });
  });

  it('may be cut by the limit of the caller, but not by that of the settings', async () => {
    const { baseUrl, requests } = await serve('It was', { finish: 'length' });
    const { outcome } = await ask({ baseUrl, script: SCRIPT, call: { maxOutputTokens: 3 } });
    expect(outcome).toMatchObject({ text: 'It was', truncated: true, citations: [] });
    expect(requests[0]?.body.max_tokens).toBe(3);
    expect(await failureOf(ask({ baseUrl, script: SCRIPT }))).toMatchObject({
      reason: 'upstream_invalid_response',
      usage: USAGE,
    });
    expect(requests[1]?.body.max_tokens).toBe(1_000);
  });

  it('has no usage where the server reports none', async () => {
    const { baseUrl } = await serve('Cole [2].', { usage: null });
    expect((await ask({ baseUrl, script: SCRIPT })).outcome.cost).toEqual({});
  });
});

describe('the request', () => {
  it('has instructions, earlier messages, fenced sources and the question', async () => {
    const earlier = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ] as const;
    const chat = { model: 'm', baseUrl: '', apiKey: 'secret', headers: { 'X-Team': 'a' } };
    const { baseUrl, requests } = await serve('Cole [2].');
    await ask({
      baseUrl,
      script: SCRIPT,
      model: { chat: { ...chat, baseUrl } },
      isLive: true,
      call: { earlier, instructions: 'Rhyme.' },
    });
    const [{ body, headers, path } = expect.unreachable()] = requests;
    expect(path).toBe('/v1/chat/completions');
    expect(headers).toMatchObject({ authorization: 'Bearer secret', 'x-team': 'a' });
    expect(body).toMatchObject({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 1_000,
    });
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(body.messages[0]?.content).toMatch(/^Answer the question from [^]*\n\nRhyme\.$/);
    const [, tag = ''] = /^<(source-[0-9a-f]{18}) number="1">\n/.exec(body.messages[3]?.content ?? '') ?? [];
    expect(body.messages[3]?.content.replaceAll(tag, 'T')).toBe(
      `<T number="1">\nZephyr Bridge\nhttps://a.example/bridge\n${BRIDGE}\n</T>\n<T number="2">\nNews\nhttps://b.example/news\n${DESIGN}\n</T>\n\nQuestion: When did the Zephyr Bridge open?`,
    );
  });

  it('has the instructions of the settings in place of the own ones', async () => {
    const { requests } = await answered('Cole [2].', { model: { instructions: 'Cite [n].' } });
    expect(requests[0]?.body.messages[0]).toEqual({ role: 'system', content: 'Cite [n].' });
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

it.each([
  ['https://api.openai.com/v1', 'max_completion_tokens'],
  ['https://eu.openai.azure.com/openai/v1', 'max_completion_tokens'],
  ['https://notopenai.com/v1', 'max_tokens'],
])('limits the answer of %s by %s', (baseUrl, field) => {
  const { models } = readSettings({ id: 'ask', models: { brief: { search: 'a', chat: { baseUrl, model: 'm' } } } });
  const [model] = providerFor({ baseUrl }).models;
  if (models['brief'] === undefined || model === undefined) throw new Error('no model');
  const request = requestOf(models['brief'], { model, query: 'Q', maxOutputTokens: 9 }, []);
  expect(request).toMatchObject({ model: 'm', [field]: 9 });
});

describe('gathering', () => {
  const found = (url: string) => page(url, `${DESIGN} See ${url}.`);
  const lists: Readonly<Record<string, ReturnType<typeof found>[]>> = {
    one: ['https://a.example/', 'https://b.example/x', 'https://c.example/'].map(found),
    two: ['http://www.b.example/x/?utm_source=y#top', 'https://d.example/'].map(found),
    none: [],
  };
  const urlsOf = (content = '') => content.match(/(?<=\n)https?:.*(?=\n)/g);
  const down = new UpstreamError('upstream_error', { phase: 'headers', status: 500 });
  const fail = () => {
    throw down;
  };

  it('merges the pages of several searches by their ranks', async () => {
    const script = { search: (model: string) => lists[model] ?? [] };
    const { requests, asked } = await answered('Cole [1].', {
      script,
      model: { search: ['one', 'two', 'none'], results: 3 },
    });
    expect(urlsOf(requests[0]?.body.messages[1]?.content)).toEqual([
      'https://b.example/x',
      'https://a.example/',
      'https://d.example/',
      'https://c.example/',
    ]);
    expect(asked).toEqual(
      ['one', 'two', 'none'].map((model) => ({
        kind: 'search',
        model,
        fields: { query: 'When did the Zephyr Bridge open?', maxResults: 3 },
      })),
    );
  });

  it('goes on without a search that fails, and fails as it does where no other one found a page', async () => {
    const script = { search: (model: string) => (model === 'bad' ? fail() : (lists[model] ?? [])) };
    expect((await answered('Cole [1].', { script, model: { search: ['bad', 'two'] } })).citations).toHaveLength(1);
    const refused = (search: string[]) => failureOf(ask({ baseUrl: 'http://127.0.0.1:9', script, model: { search } }));
    expect(await refused(['none', 'bad'])).toBe(down);
    expect(await refused(['none'])).toMatchObject({ reason: 'no_answer_found' });
    const bug = () => {
      throw new TypeError('bug');
    };
    await expect(ask({ baseUrl: 'http://127.0.0.1:9', script: { search: bug } })).rejects.toThrow('bug');
  });

  const filler = 'Nothing of interest stands in this long paragraph of the page. '.repeat(12);
  const pages = { extract: 'reader', most: 1, maxCharacters: 5_000 };

  it('reads the best pages, and cites the passage that holds', async () => {
    const extract = () => [
      { url: 'https://a.example/bridge', title: 'A', content: `${filler}\n\nIt has 48 cables of steel.\n\n${filler}` },
    ];
    const { citations, asked } = await answered('It has 48 cables of steel [1].', {
      script: { ...SCRIPT, extract },
      model: { pages },
    });
    expect(citations[0]?.snippet).toContain('It has 48 cables of steel.');
    expect(citations[0]?.snippet?.length).toBeLessThan(901);
    expect(asked[1]).toEqual({
      kind: 'extract',
      model: 'reader',
      fields: { urls: ['https://a.example/bridge'], maxCharacters: 5_000 },
    });
  });

  it('shows the passages with the words of the question, and of each page one, where not all of a page can be shown', async () => {
    const content = `${`${filler}\n\n`.repeat(22)}The Zephyr Bridge did open with 48 cables of steel. ${filler}`;
    const extract = () => [{ url: 'https://a.example/bridge', title: 'A', content }];
    const { citations } = await answered('It has 48 cables of steel [1]. Cole [2].', {
      script: { ...SCRIPT, extract },
      model: { pages },
    });
    expect(citations).toHaveLength(2);
  });

  it('goes on with snippets, in their order, where pages and ranks cannot be had', async () => {
    const script = { ...SCRIPT, extract: fail, rerank: fail };
    expect((await answered('Cole [2].', { script, model: { pages, rerank: 'ranker' } })).citations).toHaveLength(1);
  });

  it('sorts passages by a reranker', async () => {
    const rerank = () => [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.1 },
    ];
    const { asked, citations } = await answered('Cole [1].', {
      script: { ...SCRIPT, rerank },
      model: { rerank: 'ranker' },
    });
    expect(asked[1]).toEqual({
      kind: 'rerank',
      model: 'ranker',
      fields: { query: 'When did the Zephyr Bridge open?', documents: [BRIDGE, DESIGN] },
    });
    expect(citations).toMatchObject([{ url: 'https://b.example/news' }]);
  });

  it('asks for no more than its row declares, and shows the chat model a bounded part', async () => {
    const long = '長'.repeat(200_000);
    const many = Array.from({ length: 10 }, (_, index) => page(`https://${index}.example/`, long, long));
    const script = {
      search: () => many,
      extract: (_: string, { urls }: { readonly urls: readonly string[] }) =>
        urls.map((url) => ({ url, title: '', content: long })),
      rerank: (_: string, { documents }: { readonly documents: readonly string[] }) =>
        documents.map((__, index) => ({ index, relevance_score: 1 })),
    };
    const model = {
      search: ['a', 'b', 'c', 'd'],
      results: 10,
      pages: { extract: 'reader', most: 10 },
      rerank: 'ranker',
      check: 'off',
    } as const;
    const query = '問'.repeat(8_000);
    const { asked, requests } = await answered('長 [1].', { script, model, call: { query } });
    const parts = providerFor({ baseUrl: 'http://127.0.0.1:9', model }).models[0]?.parts;
    const most = parts?.find(({ kind }) => kind === 'rerank')?.most;
    const ranked = asked.find((part) => 'kind' in part && part.kind === 'rerank') as {
      fields: { query: string; documents: string[] };
    };
    const bytes = ranked.fields.documents.map(
      (text) => Buffer.byteLength(text) + Buffer.byteLength(ranked.fields.query) + 116,
    );
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(most?.tokens ?? 0);
    expect(Math.ceil(bytes.length / 100)).toBeLessThanOrEqual(most?.searchUnits ?? 0);
    expect(requests[0]?.body.messages[1]?.content.length).toBeLessThan(15_000 + query.length);
  });
});

describe('a chat server that fails', () => {
  // Silence until the deadline is tested with a clock in core.
  const quick = FAULTS.filter((fault) => FAULT_EXPECTATIONS[fault].reason !== 'upstream_timeout');
  it.each(quick)('%s', async (fault) => {
    const upstream = await startFaultUpstream({ healthyReply: { body: completion('Cole [2].') } });
    await upstream.setFault(fault);
    for (const isLive of [false, true]) {
      const failure = await failureOf(ask({ baseUrl: upstream.url, script: SCRIPT, isLive }));
      expect(failure.reason).toBe(FAULT_EXPECTATIONS[fault].reason);
    }
    await upstream.close();
  });

  const chunk = (content: string, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`;
  const error = 'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n';
  it.each([
    ['is cut', [chunk('Cole [2]. ')], 'upstream_invalid_response'],
    ['is refused', [chunk('Cole [2]. ', 'content_filter')], 'query_rejected'],
    ['is no JSON', [chunk('Cole [2]. '), 'data: <p>\n\n'], 'upstream_invalid_response'],
    ['reports an error', [chunk('Cole [2]. '), error], 'upstream_invalid_response'],
    ['has no text', [chunk('', 'stop')], 'upstream_invalid_response'],
    ['never ends', Array<string>(20_000).fill(chunk('Cole [2]. ')), 'upstream_invalid_response'],
  ])('with a stream that %s', async (_, events, reason) => {
    const { baseUrl, close } = await startChat((response) => {
      response.setHeader('content-type', 'text/event-stream').end(events.join(''));
    });
    expect((await failureOf(ask({ baseUrl, script: SCRIPT, isLive: true }))).reason).toBe(reason);
    await close();
  });
});
