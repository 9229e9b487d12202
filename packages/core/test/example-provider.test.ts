import { join } from 'node:path';
import * as testing from '@searchgate/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway, memoryLedger } from '../src/index.js';
import * as providerKit from '../src/provider-kit/index.js';
import { lumen } from './example-providers/lumen-provider.js';
import { wiki } from './example-providers/wiki.js';
import { handbook } from './handbook.js';
import { read } from './markdown.js';

/** The lines of files in this folder, without blank lines and comments. */
function linesOf(...names: readonly string[]): string[] {
  const code = names.map((name) => read(join('packages/core/test', name))).join('');
  return code.split('\n').filter((line) => !/^\s*(?:$|\/[/*])/.test(line));
}

/** The answer of the chat completions example, as a stream. */
const CHUNKS = [
  { id: 'c1', model: 'wiki-1', citations: ['https://example.org/leave'], choices: [{ delta: { content: 'Thirty ' } }] },
  { choices: [{ delta: { content: 'days [1], ' } }] },
  { choices: [{ delta: { content: 'says the wiki.' } }] },
  { choices: [{ delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 40, completion_tokens: 9 } },
];

describe('the provider for chat completions', () => {
  const secret = 'a-key-that-occurs-nowhere-else';
  testing.providerConformance({
    describe,
    it,
    secret,
    create: (baseUrl, limits) => wiki({ apiKey: secret, baseUrl, ...limits }),
    evidence: { reply: ['choices.0.finish_reason'], stream: ['"finish_reason":"stop"', '"usage":'] },
    fixtures: [
      {
        name: 'an answer with a source',
        model: 'wiki/answer',
        reply: {
          id: 'c1',
          model: 'wiki-1',
          citations: ['https://example.org/leave'],
          choices: [{ finish_reason: 'stop', message: { content: 'Thirty days [1], says the wiki.' } }],
          usage: { prompt_tokens: 40, completion_tokens: 9 },
        },
        answer: {
          text: 'Thirty days [1], says the wiki.',
          citations: [{ url: 'https://example.org/leave' }],
          cost: { usage: { inputTokens: 40, outputTokens: 9 } },
          upstreamRequestId: 'c1',
          servedModel: 'wiki-1',
        },
        stream: {
          body: [...CHUNKS.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
        },
      },
    ],
  });

  it('takes at most 70 lines', () => {
    expect(linesOf('example-providers/wiki.ts').length).toBeLessThanOrEqual(70);
  });
});

const events = (...all: readonly object[]) => all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

describe('a provider with its own format of streams and errors', () => {
  const secret = 'a-key-that-occurs-nowhere-else';
  const model = 'lumen/answer';
  const fault = { fault: { kind: 'quota', why: 'No credit is left.' } };
  const failure = { reason: 'upstream_quota_exhausted' } as const;
  const pages = ['https://example.org/leave', 'https://example.org/days'];
  testing.providerConformance({
    describe,
    it,
    secret,
    create: (baseUrl, limits) => lumen({ apiKey: secret, baseUrl, ...limits }),
    evidence: { reply: 'valid JSON', stream: ['"done":true'] },
    faultReplies: { error_in_200: { body: JSON.stringify(fault) } },
    faults: { error_in_200: failure },
    fixtures: [
      {
        name: 'an answer',
        model,
        reply: { answer: 'Thirty days [2], says the page.', pages, usd: 0.002 },
        answer: {
          text: 'Thirty days [2], says the page.',
          citations: pages.map((url) => ({ url })),
          cost: { reported: 2_000_000n },
        },
        stream: {
          body: events(
            { pages },
            { piece: 'Thirty ' },
            { piece: 'days [2], says' },
            { piece: ' the page.' },
            { done: true, usd: 0.002 },
          ),
        },
      },
      { name: 'an error', model, status: 403, reply: fault, failure },
      { name: 'an error in a stream', model, stream: { body: events({ pages }, { piece: 'Thirty' }, fault) }, failure },
      { name: 'an error instead of a stream', model, stream: { body: JSON.stringify(fault) }, failure },
    ],
  });

  it('takes at most 60 lines', () => {
    expect(
      linesOf('example-providers/lumen-reduce.ts', 'example-providers/lumen-provider.ts').length,
    ).toBeLessThanOrEqual(60);
  });
});

describe('the forms of citation markers that docs/write-a-provider.md names', () => {
  const page = read('docs/write-a-provider.md');
  const formsAfter = (words: string) => {
    const [, line = ''] = new RegExp(`- ${words}[^:\\n]*: (.*?)\\. `).exec(page) ?? [];
    return [...line.matchAll(/`([^`]+)`/g)].map(([, form = '']) => form);
  };
  const written = (form: string) =>
    providerKit.composeAnswer({
      text: `Yes ${form}.`,
      sources: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
      cost: {},
    }).text;
  const [known, left] = [formsAfter('Read as citation markers'), formsAfter('Left as they are')];

  it.each(known)('are read: %s', (form) => {
    expect(written(form)).toMatch(/^Yes \[1\](?:\[2\])?\.$/);
  });

  it.each(left)('are left as text: %s', (form) => {
    expect(written(form)).toBe(`Yes ${form}.`);
  });

  it('exist', () => {
    expect([known.length, left.length].every((count) => count > 5)).toBe(true);
  });
});

describe('the first provider of docs/write-a-provider.md', () => {
  it('takes at most 70 lines', () => {
    expect(linesOf('handbook.ts').length).toBeLessThanOrEqual(70);
  });

  it('answers through a gateway and is charged', async () => {
    const reply = { answer: 'Thirty days [1].', sources: [{ url: 'https://example.org/leave', title: 'Leave' }] };
    const upstream = await testing.startFaultUpstream({ healthyReply: { body: JSON.stringify(reply) } });
    onTestFinished(() => upstream.close());
    const gateway = createGateway({
      providers: [handbook({ apiKey: 'a-key', baseUrl: upstream.url })],
      ledger: memoryLedger({ credits: { acme: '1' } }),
      authenticate: () => null,
    });
    onTestFinished(() => gateway.close());
    const apiKey = { id: 'key', organizationId: 'acme' };
    expect(await gateway.answer({ apiKey, model: 'handbook/answer', query: 'How much leave do I get?' })).toMatchObject(
      { answer: 'Thirty days [1].', citations: [{ title: 'Leave' }], usage: { cost: 0.001 } },
    );
  });
});
