import { describe, expect, it } from 'vitest';
import { cohere, exa, openai } from '../src/providers/index.js';
import { KEY, OUTCOME, reasonOf, scripted, start, streaming } from './scripted-gateway.js';

const NOTHING = [
  '\u200b',
  '\ufeff \u00ad',
  '\u3164',
  '\u2800',
  '\u0301',
  '&nbsp;',
  '<!-- a -->',
  '```\n```',
  '[1]',
  '**[1]**',
  '[1] \u200b\n- ',
];
const QUESTION = { apiKey: KEY, model: 'exa/answer', query: 'When did it open?' };

describe.each(NOTHING)('an answer of %j', (text) => {
  it.each([{ citations: OUTCOME.citations }, { citations: [] }])(
    'costs nothing, and another provider answers: %j',
    async ({ citations }) => {
      const empty = scripted('exa', [{ ...OUTCOME, text, citations }]);
      const alone = start([empty.provider], { maxAttempts: 1 });
      expect(await reasonOf(alone.ask('exa/answer'))).toBe('upstream_invalid_response');
      expect(await alone.kinds()).not.toContainEqual(['charge', expect.anything()]);
      const both = start([empty.provider, scripted('kagi', [OUTCOME]).provider]);
      expect(await both.gateway.answer({ ...QUESTION, routing: { fallbacks: ['kagi/answer'] } })).toMatchObject({
        provider: 'kagi',
      });
    },
  );

  it('does not begin a stream', async () => {
    const provider = streaming((_call, _context, live) => {
      live.citations(OUTCOME.citations);
      for (const part of text) live.text(part);
      return Promise.resolve({ ...OUTCOME, text });
    });
    const { gateway, totals } = start([provider], { maxAttempts: 1 });
    const seen: unknown[] = [];
    const read = async () => {
      for await (const event of gateway.answerStream(QUESTION)) seen.push(event);
    };
    expect(await reasonOf(read())).toBe('upstream_invalid_response');
    expect(seen).toEqual([]);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });
});

it('what a caller sends and nobody sees is refused before the hold', async () => {
  const { gateway, kinds } = start([exa, cohere, openai].map((create) => create({ apiKey: 'a-key' })));
  const query = '\u200b\u2060';
  const given = { apiKey: KEY, query };
  const calls = [
    gateway.answer({ ...given, model: 'exa/answer' }),
    gateway.search({ ...given, model: 'exa/auto' }),
    gateway.rerank({ ...given, model: 'cohere/rerank-v4.0-pro', documents: ['a'] }),
    gateway.rerank({ apiKey: KEY, query: 'a', model: 'cohere/rerank-v4.0-pro', documents: ['a', query] }),
    gateway.embed({ apiKey: KEY, model: 'openai/text-embedding-3-small', input: ['a', query] }),
  ];
  for (const call of calls) expect(await reasonOf(call)).toBe('invalid_field');
  expect(await kinds()).toEqual([['grant', 10_000_000_000n]]);
});
