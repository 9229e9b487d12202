import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FaultUpstream, startFaultUpstream } from '../../../packages/testing/src/fault-upstream.js';
import { runTry } from './run-try.js';

/** Must be escaped in JSON and in a URL. */
const API_KEY = 'exa"key/of+many=characters&more';
const QUESTION = 'When did the Zephyr Bridge open?';
const REPLY = {
  requestId: 'r1',
  answer: `It opened in May 2021 [1]. (${API_KEY})`,
  citations: [{ url: 'https://example.org/zephyr', title: 'Zephyr Bridge opens' }],
  costDollars: { total: 0.005 },
  [API_KEY.slice(3, 20)]: { account: API_KEY },
};
/** Starting a process with a TypeScript loader takes about a second, longer on a busy machine. */
const SLOW_START_MS = 60_000;
const root = join(import.meta.dirname, '../../..');

let upstream: FaultUpstream;
let folder: string;

beforeAll(async () => {
  upstream = await startFaultUpstream({
    healthyReply: { body: JSON.stringify(REPLY) },
    replies: {
      status_401: { status: 401, body: JSON.stringify({ error: `${API_KEY} is no key`, tag: 'INVALID_API_KEY' }) },
    },
  });
});
afterAll(() => upstream.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'try-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await upstream.setFault('healthy');
});

const environment = () => ({ EXA_API_KEY: API_KEY, EXA_BASE_URL: upstream.url });

async function run(argv: readonly string[], variables: Record<string, string> = environment()) {
  const shown = { out: '', err: '' };
  const code = await runTry(argv, {
    environment: variables,
    now: () => new Date('2026-11-21T08:00:00Z'),
    out: (text) => (shown.out += text),
    err: (text) => (shown.err += text),
  });
  expect(`${shown.out}${shown.err}`).not.toContain(API_KEY.slice(3, 11));
  return { code, ...shown };
}

function fixtures(): Record<string, unknown> {
  const names = readdirSync(folder);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

describe('npm run try', () => {
  it('shows the adapter’s answer next to the raw reply', async () => {
    const asked = upstream.requests.length;
    const { code, out, err } = await run(['exa/answer', QUESTION]);
    expect([code, err, upstream.requests.length - asked]).toEqual([0, '', 1]);
    expect(out.replace(/^exa\/answer, [\d,]+ ms/, 'exa/answer, 12 ms')).toBe(`exa/answer, 12 ms

== request: POST ${upstream.url}/answer
{
  "stream": false,
  "query": "${QUESTION}",
  "text": false
}

== answer
It opened in May 2021 [1]. ([redacted])

== citations: 1
[1] Zephyr Bridge opens
    https://example.org/zephyr
    (no snippet)

== cost
0.005 USD, reported
reported: 0.005
by our prices: 0.005
used: {}

== served
model: not reported
request id: r1

== raw reply: HTTP 200
{
  "requestId": "r1",
  "answer": "It opened in May 2021 [1]. ([redacted])",
  "citations": [
    {
      "url": "https://example.org/zephyr",
      "title": "Zephyr Bridge opens"
    }
  ],
  "costDollars": {
    "total": 0.005
  },
  "[redacted]": {
    "account": "[redacted]"
  }
}
`);
  });

  it('passes settings on', async () => {
    await run(['exa/answer', QUESTION, '--settings', '{"snippets":true}']);
    expect(JSON.parse(upstream.requests.at(-1)?.body ?? '')).toMatchObject({ text: true });
  });

  it('hides a key in the URL', async () => {
    const variables = { SERPAPI_API_KEY: API_KEY, SERPAPI_BASE_URL: upstream.url };
    const argv = ['serpapi/google-ai-mode', QUESTION, '--record', '--into', folder];
    const { out } = await run(argv, variables);
    const address = `${upstream.url}/search.json?engine=google_ai_mode&q=When+did+the+Zephyr+Bridge+open%3F`;
    expect(new URL(upstream.requests.at(-1)?.url ?? '', upstream.url).searchParams.get('api_key')).toBe(API_KEY);
    expect(out).toContain(`== request: GET ${address}&api_key=[redacted]\n`);
    const { 'recorded-2026-11-21.json': text } = fixtures();
    expect(JSON.parse(String(text))).toMatchObject({ request: { url: `${address}&api_key=[redacted]` } });
  });

  it('prints only the reply', async () => {
    const { out } = await run(['exa/answer', QUESTION, '--raw']);
    const { [API_KEY.slice(3, 20)]: account, ...reply } = REPLY;
    expect(account).toBeDefined();
    expect(JSON.parse(out)).toEqual({
      ...reply,
      answer: 'It opened in May 2021 [1]. ([redacted])',
      '[redacted]': { account: '[redacted]' },
    });
  });

  it.each([
    [['--record'], 'recorded-2026-11-21.json'],
    [['--record', 'answer-live'], 'answer-live-2026-11-21.json'],
  ])('records a fixture without the key with %j', async (flags, name) => {
    const { code, err } = await run(['exa/answer', QUESTION, ...flags, '--into', folder]);
    expect([code, err]).toEqual([0, expect.stringContaining(name)]);
    const { [name]: text, ...others } = fixtures();
    expect(others).toEqual({});
    expect(text).not.toContain(API_KEY.slice(3, 11));
    expect(JSON.parse(String(text))).toMatchObject({
      recordedAt: '2026-11-21T08:00:00.000Z',
      model: 'exa/answer',
      query: QUESTION,
      request: { method: 'POST', url: `${upstream.url}/answer`, json: { query: QUESTION } },
      status: 200,
      headers: {},
      reply: { answer: 'It opened in May 2021 [1]. ([redacted])', '[redacted]': { account: '[redacted]' } },
    });
  });

  it('explains the provider’s failure, and records it too', async () => {
    await upstream.setFault('status_401');
    const { code, out, err } = await run(['exa/answer', QUESTION, '--record', 'error', '--into', folder]);
    expect(code).toBe(1);
    expect(err).toContain('exa/answer failed: upstream_auth_failed in phase headers, HTTP 401\n');
    expect(out).toContain('== failure\nupstream_auth_failed in phase headers, HTTP 401\n');
    expect(out).toMatch(/== raw reply: HTTP 401\n(?:[\w-]+: .*\n)*\{\n {2}"error": "\[redacted\] is no key"/);
    const { 'error-2026-11-21.json': text } = fixtures();
    expect(JSON.parse(String(text))).toMatchObject({ status: 401, reply: { tag: 'INVALID_API_KEY' } });
  });

  it('reports a missing reply, and records nothing', async () => {
    await upstream.setFault('connection_reset');
    const { code, out, err } = await run(['exa/answer', QUESTION, '--record', '--into', folder]);
    expect([code, err]).toEqual([1, 'exa/answer failed: upstream_unreachable in phase headers\n']);
    expect(out).toContain('== raw reply\nnone came');
    expect(fixtures()).toEqual({});
  });

  it('prints a reply that is not JSON unchanged', async () => {
    await upstream.setFault('html_200');
    const { code, out } = await run(['exa/answer', QUESTION]);
    expect(code).toBe(1);
    expect(out).toContain('== raw reply: HTTP 200\n<!doctype html>');
  });

  it.each<[string, string[], Record<string, string>]>([
    ['exa/anser is no model. Did you mean exa/answer', ['exa/anser', QUESTION], {}],
    ['a/b is no model. There are ', ['a/b', QUESTION], {}],
    ['exa/neural is a model for search and cannot be asked.', ['exa/neural', QUESTION], {}],
    ['EXA_API_KEY is not set: exa/answer needs it.', ['exa/answer', QUESTION], {}],
    ['EXA_API_KEY is not set', ['exa/answer', QUESTION], { EXA_API_KEY: '' }],
    [
      'exa.baseUrl: found "exa.ai", expected an http(s) URL',
      ['exa/answer', QUESTION],
      { EXA_API_KEY: API_KEY, EXA_BASE_URL: 'exa.ai' },
    ],
    [
      'exa.apiKey: found a string (not shown), expected a key without spaces',
      ['exa/answer', QUESTION],
      { EXA_API_KEY: `${API_KEY}\n` },
    ],
    [
      'exa.snippet: found an unknown option',
      ['exa/answer', QUESTION, '--settings', '{"snippet":true}'],
      { EXA_API_KEY: API_KEY },
    ],
    [
      'With these settings Exa does not offer exa/answer.',
      ['exa/answer', QUESTION, '--settings', '{"models":["answer-deep"]}'],
      { EXA_API_KEY: API_KEY },
    ],
    ['Expected a JSON object.', ['exa/answer', QUESTION, '--settings', '[]'], {}],
    ['Expected lower-case letters', ['exa/answer', QUESTION, '--record', '../x'], {}],
    ["error: missing required argument 'question'", ['exa/answer'], {}],
    ["error: unknown option '--rwa'", ['exa/answer', QUESTION, '--rwa'], {}],
  ])('refuses to run: %s', async (message, argv, variables) => {
    const asked = upstream.requests.length;
    const { code, out, err } = await run(argv, variables);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(upstream.requests.length).toBe(asked);
  });

  it('shows help', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    expect(out).toContain('<PROVIDER>_API_KEY');
  });

  it(
    'runs as a process with an exit code',
    async () => {
      const script = ['--conditions=@searchgate/source', '--import', 'tsx/esm', 'tools/scripts/try.ts'];
      const start = (...argv: string[]) =>
        promisify(execFile)(process.execPath, [...script, ...argv], {
          cwd: root,
          env: { PATH: process.env['PATH'], ...environment() },
        });
      const [answered, misused] = await Promise.allSettled([
        start('exa/answer', QUESTION, '--record', '--into', folder),
        start('exa/anser', QUESTION),
      ]);
      expect(answered).toMatchObject({ status: 'fulfilled', value: { stderr: expect.stringContaining('recorded ') } });
      expect(misused).toMatchObject({ reason: { code: 2, stdout: '' } });
      expect(`${JSON.stringify([answered, misused])}${JSON.stringify(fixtures())}`).not.toContain(API_KEY.slice(4, 12));
      expect(Object.keys(fixtures())).toHaveLength(1);
    },
    SLOW_START_MS,
  );
});
