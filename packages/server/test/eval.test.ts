import { EventEmitter, once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evalFolder, evalGateway, KEY, serve } from './kit/eval-stage.js';

const ACCESS = { SEARCHGATE_API_KEY: KEY };
const PARIS = { id: 'paris', query: 'Capital of France?', category: 'places', expect: { contains: 'Paris' } };
const ROME = { id: 'rome', query: 'Capital of Italy?', expect: { contains: 'Rome' } };
const cite = (...hosts: string[]) =>
  hosts.map((host) => ({ url: `https://${host}/page`, title: host, snippet: 'A page.' }));

describe('searchgate eval', () => {
  it('compares answers: what was right, what it cost to the nano, and how alike the citations are', async () => {
    const { good, poor, url, charged, ledger } = await evalGateway();
    good.reply({ text: ['Paris, ', 'Rome.'], citations: cite('a.example', 'b.example') });
    const known = { text: ['Paris.'], citations: cite('b.example') };
    poor.reply(({ query }) => (query.includes('France') ? known : { failure: 'upstream_error' }));
    const { run, report, read } = evalFolder([PARIS, ROME]);
    const models = ['--models', 'good/answer,poor/answer', '--runs', '3', '--tag', 'spring'];
    const { code, stdout, stderr } = await run(['--url', url, ...models], ACCESS);
    expect([code, stderr.trimEnd().split('\n').at(-1)]).toEqual([0, `12 of 12 calls, $0.072`]);
    expect(report()).toMatchObject({ version: 1, spent: '0.072', ended: null, runs: 3 });
    expect(await charged()).toBe('0.072');
    const { entries } = await ledger.entries();
    const tags = entries.flatMap((entry) => (entry.kind === 'charge' ? [entry.tag] : []));
    expect(new Set(tags)).toEqual(new Set(['spring']));
    expect(report().models).toMatchObject([
      { model: 'good/answer', calls: 6, right: { value: 1 }, cost: '0.06', citations: 2, hosts: 2 },
      { model: 'poor/answer', right: { value: 0.5 }, cost: '0.012', errors: { upstream_error: 3 } },
      { model: 'good/answer', category: 'places', calls: 3 },
      { model: 'poor/answer', category: 'places', calls: 3 },
    ]);
    expect(report().pairs).toMatchObject([
      { questions: 2, right: { value: 0.5, distinguishable: false }, sameUrls: 0.25 },
    ]);
    expect(stdout).toBe(read('md'));
    expect(stdout).toContain('| good/answer | all | 100 % (34–100) | 100 % (34–100) | 0.06 | 0.01000 |');
    expect(read('html')).toContain('<td>good/answer</td>');
  });

  it('shows texts of others as texts', async () => {
    const { url } = await evalGateway();
    const text = `<img src=https://x.example onerror='alert(1)'> "a" | b\n![c](https://x.example) &amp;`;
    const { run, read } = evalFolder([{ id: text, query: text, category: text }]);
    expect(await run(['--url', url, '--models', 'good/answer'], ACCESS)).toMatchObject({ code: 0 });
    const tags = new Set(Array.from(read('html').matchAll(/<([a-z!][a-z0-9]*)/gi), ([, tag]) => tag));
    for (const tag of ['img', 'script', 'link', 'a']) expect(tags).not.toContain(tag);
    expect(read('html')).toContain('&#60;img src=https://x.example onerror=&#39;alert(1)&#39;&#62; &#34;a&#34; | b');
    expect(read('html')).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(read('md')).toContain(String.raw`| \<img src=https://x.example onerror='alert(1)'> "a" \| b?!\[c](`);
  });

  it('asks each kind of models its own lines', async () => {
    const { good, url, charged } = await evalGateway();
    good.replyTo('search', { results: cite('x.example', 'docs.here.example', 'y.example') });
    good.replyTo('extract', { pages: [{ url: 'https://example.org/', title: 'Here', content: 'Opened in 1,234.' }] });
    good.replyTo('rerank', { ranks: [1, 0].map((index) => ({ index, score: index })) });
    const lines = [
      { id: 'found', query: 'Where?', expect: { url_host: ['here.example', 'nowhere.example'] } },
      { id: 'page', query: 'https://example.org/', expect: { number: { value: 1234 } } },
      { id: 'order', query: 'Which?', documents: ['no', 'yes'], expect: { first: 1, contains: 'yes' } },
    ];
    const { run, report } = evalFolder(lines);
    const models = ['--models', 'good/search,good/extract,good/rerank'];
    expect(await run(['--url', url, '--key', KEY, ...models])).toMatchObject({ code: 0 });
    expect(report().results.map(({ model, right }) => [model, right])).toEqual([
      ['good/search', 1],
      ['good/extract', 1],
      ['good/rerank', 1],
    ]);
    expect(report()).toMatchObject({ models: [{ recall: 0.5, reciprocalRank: 0.5 }, {}, {}], pairs: [] });
    expect(await charged()).toBe(report().spent);
  });
});

describe('what ends a run', () => {
  const MANY = Array.from({ length: 6 }, (_, at) => ({ id: `q${at}`, query: `Question ${at}?` }));

  it.each(['0', '0.0099', '0.01', '0.04'])('spends at most --max-cost %s, and goes on with more', async (most) => {
    const { url, charged } = await evalGateway();
    const { run, report } = evalFolder(MANY);
    const argv = ['--url', url, '--models', 'good/answer'];
    const { code, stderr } = await run([...argv, '--max-cost', most], ACCESS);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: the run ended early: --max-cost has no room/m)]);
    expect(Number(await charged())).toBe(Math.floor(Number(most) * 100 + 1e-9) / 100);
    expect(report()).toMatchObject({ spent: await charged(), calls: 6, ended: expect.any(String) });
    expect((await run([...argv, '--max-cost', '0.06'], ACCESS)).code).toBe(0);
    expect(await charged()).toBe('0.06');
  });

  it('learns the price of a model without a list price before it pays', async () => {
    const { good, url, charged } = await evalGateway({
      models: {
        'good/answer': { price: { typical: '0.02', ceiling: '0.02', perMillionInputTokens: '1' } },
      },
    });
    good.reply({ text: ['A text.'], cost: '0.02' });
    const { run } = evalFolder(MANY);
    const argv = ['--url', url, '--models', 'good/answer'];
    await run([...argv, '--max-cost', '0.03'], ACCESS);
    expect(await charged()).toBe('0.02');
    expect(await run([...argv, '--max-cost', '1'], ACCESS)).toMatchObject({ code: 0, waits: [] });
    expect(await charged()).toBe('0.12');
  });

  it('ends clearly when the budget ends, and goes on after a grant', async () => {
    const { url, charged, ledger } = await evalGateway({}, '0.03');
    const { run, report } = evalFolder(MANY);
    const argv = ['--url', url, '--models', 'good/answer', '--concurrency', '1'];
    const { code, stderr } = await run(argv, ACCESS);
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not have enough credits')]);
    expect(report()).toMatchObject({ spent: '0.03', ended: expect.stringContaining('credits') });
    await ledger.grant({ organizationId: 'acme', amount: 1_000_000_000n, grantId: 'more', note: '' });
    expect((await run(argv, ACCESS)).code).toBe(0);
    expect([report().spent, await charged()]).toEqual(['0.06', '0.06']);
  });

  it('waits as long as Retry-After says', async () => {
    const { good, url, charged } = await evalGateway({ defaultLimits: { keys: { maxConcurrent: 1 } } });
    const ended = new EventEmitter();
    good.reply({ text: [once(ended, 'wait'), 'A text.'] });
    const { run } = evalFolder(MANY);
    const { code, waits } = await run(['--url', url, '--models', 'good/answer'], ACCESS, {
      onWait: () => ended.emit('wait'),
    });
    expect([code, new Set(waits)]).toEqual([0, new Set([1_000])]);
    expect(await charged()).toBe('0.06');
  });

  it('does not wait for a rate that comes back too late', async () => {
    const rateLimit = { requests: 2, periodMs: 86_400_000 };
    const { url, charged } = await evalGateway({ defaultLimits: { keys: { rateLimit } } });
    const { run, report } = evalFolder(MANY);
    const { code, waits } = await run(['--url', url, '--models', 'good/answer'], ACCESS);
    expect([code, waits]).toEqual([1, []]);
    expect(report()).toMatchObject({ ended: expect.stringContaining('rate limit'), spent: await charged() });
  });

  it('finishes the calls under way after an interrupt, and reports them', async () => {
    const { good, url, charged } = await evalGateway();
    const interrupt = new AbortController();
    good.reply(() => {
      interrupt.abort();
      return 'A text.';
    });
    const { run, report } = evalFolder(MANY);
    const argv = ['--url', url, '--models', 'good/answer', '--concurrency', '2'];
    expect(await run(argv, ACCESS, { interrupt })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('interrupted'),
    });
    expect([report().spent, report().results.length]).toEqual([await charged(), good.requests.length]);
    expect(good.requests.length).toBeLessThan(MANY.length);
  });
});

it('pays for each line, also for equal ones', async () => {
  const { url, charged } = await evalGateway();
  const { run, report } = evalFolder([PARIS, { ...PARIS, id: 'again' }]);
  await run(['--url', url, '--models', 'good/answer'], ACCESS);
  expect([report().spent, await charged()]).toEqual(['0.02', '0.02']);
});

it('asks nothing again for other checks, and only what is new for more runs', async () => {
  const { good, url } = await evalGateway();
  good.reply('It is Paris.');
  const { run, report, file } = evalFolder([PARIS]);
  const argv = ['--url', url, '--models', 'good/answer'];
  await run(argv, ACCESS);
  expect(report().models).toMatchObject([{ right: { value: 1 } }, { category: 'places' }]);
  writeFileSync(file, JSON.stringify({ ...PARIS, expect: { contains: 'Lyon' } }));
  await run(argv, ACCESS);
  expect([good.requests.length, report().models]).toMatchObject([1, [{ right: { value: 0 } }, {}]]);
  await run([...argv, '--runs', '3'], ACCESS);
  expect([good.requests.length, report().spent]).toEqual([3, '0.03']);
});

it('measures times to the first text, and the share of supported sentences', async () => {
  const model = { id: 'ask/brief', category: 'answer', callable: true, pricing: { unit: 'USD', request: '0.01' } };
  const events = [
    ['start', { id: 'ans_1', model: 'ask/brief', provider: 'ask' }],
    ['delta', { text: 'One.' }],
    ['done', { answer: 'One.', usage: { cost: 0.01 }, grounding: { sentences: 4, supported: 3 } }],
  ];
  const url = await serve((req, res) => {
    const isList = req.method === 'GET';
    res.writeHead(200, { 'content-type': isList ? 'application/json' : 'text/event-stream' });
    const stream = events.map(([name, data]) => `event: ${name as string}\ndata: ${JSON.stringify(data)}\n\n`);
    res.end(isList ? JSON.stringify({ object: 'list', data: [model] }) : stream.join(''));
  });
  const { run, report } = evalFolder([PARIS]);
  await run(['--url', url, '--models', 'ask/brief'], ACCESS);
  expect(report().models).toMatchObject([
    { supported: 0.75, firstTextMs: [expect.any(Number), expect.any(Number)] },
    {},
  ]);
});

describe('mistakes', () => {
  it.each<[string, string, number, RegExp]>([
    ['an unknown model', '--models good/answr', 1, /models\[0\]: found "good\/answr".*Did you mean "good\/answer"\?/],
    ['a model of another category', '--models good/embed', 1, /found "good\/embed", expected a model of answer/],
    ['a listed model', '--models exa/answer', 1, /found "exa\/answer", expected a model of answer/],
    ['a model that no line suits', '--models good/rerank', 1, /found good\/rerank, which no line is for/],
    ['no key', '--models good/answer --key ü', 1, /^error: apiKey: found a string \(not shown\), expected an API key/],
    ['a wrong key', '--models good/answer --key sg_another', 1, /^error: The API key is not known/],
    ['a gateway that is down', '--models good/answer --url http://127.0.0.1:1', 1, /could not be reached/],
    ['a URL of something else', '--models good/answer --url gateway', 1, /^error: url: found "gateway"/],
    ['no runs', '--models good/answer --runs 0', 1, /^error: runs: found .*from 1 to 100/],
    ['an amount that is none', '--models good/answer --max-cost five', 2, /'--max-cost <usd>'.*decimal amount/],
    ['an output that is no JSON', '--models good/answer --out a.html', 1, /^error: out: found "a.html"/],
    [
      'an output that cannot be written',
      '--models good/answer --out /proc/no/a.json',
      1,
      /^error: ENOENT: .*\/proc\/no/,
    ],
    ['an unknown option', '--models good/answer --run 3', 2, /Did you mean --runs\?/],
  ])('asks nothing for %s', async (_name, argv, code, message) => {
    const { good, url } = await evalGateway();
    const { run, folder } = evalFolder([PARIS]);
    const printed = await run(['--url', url, ...argv.split(' ')], ACCESS);
    expect([printed.code, printed.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(printed.stderr).not.toMatch(/\n {4}at /);
    expect([good.requests.length, readdirSync(folder)]).toEqual([0, ['questions.jsonl']]);
  });

  it('names every broken line, and asks nothing', async () => {
    const { good, url } = await evalGateway();
    const broken = [
      PARIS,
      '{"id":',
      { id: 'a' },
      PARIS,
      '',
      { id: 'b', query: 'B?', expect: {} },
      { id: 'c', query: 'C?', expects: 1 },
    ];
    const { run } = evalFolder(broken);
    const { code, stderr } = await run(['--url', url, '--models', 'good/answer'], ACCESS);
    expect(code).toBe(1);
    for (const line of [2, 3, 4, 6, 7]) expect(stderr).toContain(`line ${line}: `);
    expect(stderr).toMatch(/line 4: id: found the one of line 1/);
    expect(good.requests).toEqual([]);
  });

  it('refuses an output that is a folder before it pays', async () => {
    const { good, url } = await evalGateway();
    const { run, out } = evalFolder([PARIS]);
    mkdirSync(out);
    expect((await run(['--url', url, '--models', 'good/answer'], ACCESS)).code).toBe(1);
    expect(good.requests).toEqual([]);
  });
});
