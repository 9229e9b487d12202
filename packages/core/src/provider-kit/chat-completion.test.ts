import { describe, expect, it } from 'vitest';
import {
  type ChatAnswer,
  chatCompletion,
  chatFinish,
  readChatCompletion,
  reduceChat,
  reduceChatCompletion,
} from './chat-completion.js';
import type { JsonObject } from './reduce-stream.js';

const read = (reply: unknown): ChatAnswer => readChatCompletion(chatCompletion.parse(reply));
const finishOf = (reply: unknown) => chatFinish(chatCompletion.parse(reply));
const saying = (message: object, more: object = {}) => ({ choices: [{ message, finish_reason: 'stop' }], ...more });

describe('readChatCompletion', () => {
  it('reads every field', () => {
    const annotations = [
      { type: 'url_citation', url_citation: { url: 'https://a.example/', title: 'A', start_index: 0, end_index: 3 } },
      { type: 'url_citation', url: 'https://b.example/', title: 'B' },
      { type: 'url_citation', url_citation: { url: 'https://c.example/', title: 'C', exactQuote: 'quoted' } },
      { type: 'url_citation', url_citation: { url: 'https://d.example/', content: 'contained' } },
    ];
    const reply = saying(
      { role: 'assistant', content: 'Yes.', annotations },
      {
        id: 'c1',
        citations: ['https://a.example/', { url: 'https://b.example/', title: 'B', snippet: 'b' }],
        search_results: [{ url: 'https://c.example/', title: 'C', date: '2026-11-21' }],
        usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
      },
    );
    expect(read(reply)).toEqual({
      text: 'Yes.',
      citations: [{ url: 'https://a.example/' }, { url: 'https://b.example/', title: 'B', snippet: 'b' }],
      searchResults: [{ url: 'https://c.example/', title: 'C' }],
      annotations: [
        { url: 'https://a.example/', title: 'A' },
        { url: 'https://b.example/', title: 'B' },
        { url: 'https://c.example/', title: 'C', snippet: 'quoted' },
        { url: 'https://d.example/', snippet: 'contained' },
      ],
      usage: { inputTokens: 9, cachedInputTokens: 4, outputTokens: 2 },
    });
  });

  it('reads a reply with text only', () => {
    const nothing = { citations: null, searchResults: null, annotations: [], usage: {} };
    expect(read({ choices: [{ message: { content: 'Yes.' } }] })).toEqual({ text: 'Yes.', ...nothing });
  });

  it('distinguishes an empty list of sources from a missing one', () => {
    const { citations, searchResults } = read(saying({ content: 'No.' }, { citations: [], search_results: [] }));
    expect([citations, searchResults]).toEqual([[], []]);
  });

  it.each([
    ['a text', 'Yes.', 'Yes.'],
    ['parts', [{ type: 'text', text: 'Y' }, { type: 'image' }, { text: 'es.' }], 'Yes.'],
    ['nothing', null, ''],
    [
      'thoughts apart',
      [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Hm.', thought: true },
        { text: 'Yes.' },
      ],
      'Yes.',
    ],
  ])('reads content that is %s', (_what, content, text) => {
    expect(read(saying({ content })).text).toBe(text);
  });

  it.each([
    ['stop', 'complete'],
    ['STOP', 'complete'],
    ['', 'unproven'],
    [null, 'unproven'],
    [undefined, 'unproven'],
    ['length', 'truncated'],
    ['model_context_window_exceeded', 'cut'],
    ['content_filter', 'refused'],
    ['sensitive', 'refused'],
    ['error', 'failed'],
    ['tool_calls', 'failed'],
  ])('understands the finish reason %s', (finish_reason, finishReason) => {
    expect(finishOf({ choices: [{ message: { content: 'Yes.' }, finish_reason }] })).toBe(finishReason);
  });

  it.each([
    [null, 'complete'],
    ['', 'complete'],
    ['end_turn', 'complete'],
    ['MAX_TOKENS', 'truncated'],
    ['REASON_MAX_TOKENS', 'truncated'],
    ['SAFETY', 'refused'],
    ['network_error', 'failed'],
    [0, 'failed'],
    [true, 'failed'],
    [{}, 'failed'],
    [[], 'failed'],
  ])('believes a router only if its model reports the same: %s', (native_finish_reason, finish) => {
    const choice = { message: { content: 'Yes.' }, finish_reason: 'stop', native_finish_reason };
    expect(finishOf({ choices: [choice] })).toBe(finish);
  });

  it.each([
    ['max_output_tokens', 'truncated'],
    ['model_context_window_exceeded', 'cut'],
  ])('tells a limit from a full context by the word of the model: %s', (native_finish_reason, finish) => {
    const choice = { message: { content: 'Yes.' }, finish_reason: 'length', native_finish_reason };
    expect(finishOf({ choices: [choice] })).toBe(finish);
  });

  it('understands a refusal', () => {
    const refusing = saying({ content: null, refusal: 'I cannot.' });
    expect([read(refusing).text, finishOf(refusing)]).toEqual(['', 'refused']);
  });

  it('ignores fields of another shape, but needs a message', () => {
    const odd = { id: 7, citations: 'x', search_results: [7], usage: 'y' };
    const answer = read(saying({ content: 'Yes.', refusal: 7, annotations: [7] }, odd));
    expect(answer).toMatchObject({ text: 'Yes.', citations: null, usage: {} });
    for (const choices of [undefined, [], [{}], [{ message: { content: 7 } }]])
      expect(chatCompletion.safeParse({ choices }).success).toBe(false);
  });
});

describe('reduceChat', () => {
  const END = { choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }] };
  const USAGE = { choices: [], usage: { completion_tokens: 2 } };

  it('hands over a chunk’s sources before its text', () => {
    const given: unknown[] = [];
    const reduce = reduceChat({ sources: ({ page }) => (typeof page === 'string' ? [{ url: page }] : []) })({
      sources: (sources) => given.push(sources),
      text: (text) => given.push(text),
    });
    reduce.push({ page: 'https://a.example/', choices: [{ delta: { content: 'Yes' } }] });
    reduce.push({ choices: [{ delta: { content: '.' } }] });
    expect(given).toEqual([[{ url: 'https://a.example/' }], 'Yes', '.']);
  });

  it('does not accept the vendor’s own mark of the last chunk as proof when more text follows', () => {
    const reduce = reduceChat({ isLast: ({ costDollars }) => costDollars === 1 })(undefined);
    const text = { costDollars: 1, choices: [{ delta: { content: 'Yes.' } }] };
    for (const each of [text, text]) reduce.push(each);
    expect([reduce.isWhole('closed'), reduce.isWhole('done')]).toEqual([false, true]);
  });

  it.each([
    [false, false, 'cut', true],
    [true, false, 'closed', false],
    [true, true, 'cut', true],
    [true, false, 'done', true],
  ] as const)(
    'when the usage is last: %s, with usage: %s, at %s, is whole: %s',
    (usageIsLast, hasUsage, end, whole) => {
      const reduce = reduceChat({ usageIsLast })(undefined);
      reduce.push(END);
      if (hasUsage) reduce.push(USAGE);
      expect(reduce.isWhole(end)).toBe(whole);
    },
  );
});

describe('reduceChatCompletion', () => {
  const reduceOf = (chunks: readonly object[]) => {
    const reduce = reduceChatCompletion(undefined);
    for (const each of chunks) reduce.push(each as JsonObject);
    return reduce;
  };
  const reduced = (chunks: readonly object[]) => reduceOf(chunks).end();
  const chunk = (delta: unknown, more: object = {}, finish_reason: string | null = null) => ({
    choices: [{ delta, finish_reason }],
    ...more,
  });

  it('joins text and annotations, and keeps the latest of everything else', () => {
    const chunks = [
      chunk({ role: 'assistant', content: 'Y' }, { id: 'c1', usage: null, citations: ['https://a.example/'] }),
      chunk({ content: null, annotations: [{ url: 'https://a.example/' }] }, { usage: { prompt_tokens: 1 } }),
      chunk({ content: 'es.', annotations: [{ url: 'https://b.example/' }] }, { citations: ['https://b.example/'] }),
      chunk({}, { usage: { prompt_tokens: 9 } }, 'stop'),
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
    ];
    const annotations = [{ url: 'https://a.example/' }, { url: 'https://b.example/' }];
    expect(reduced(chunks)).toEqual({
      id: 'c1',
      citations: ['https://b.example/'],
      usage: { prompt_tokens: 9, completion_tokens: 2 },
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Yes.', annotations } }],
    });
  });

  it('leaves thoughts out', () => {
    const content = [{ type: 'thinking', text: 'Hm.' }, { type: 'text', text: 'Yes.' }, { text: 7 }];
    const chunks = [
      chunk({ type: 'think', content: '<think>Is it?' }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ type: 'think', content: '</think>' }, {}, 'thinking_end'),
      chunk({ type: 'text', content }, {}, 'stop'),
    ];
    expect(reduced(chunks)).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { type: 'text', content: 'Yes.' } }],
    });
  });

  it('reads its own choice alone', () => {
    const [text, other] = [chunk({ content: 'Yes.' }), { choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }];
    const isWhole = reduceOf([text, other]).isWhole('done');
    expect([isWhole, reduced([text, other])]).toMatchObject([false, { choices: [{ message: { content: 'Yes.' } }] }]);
  });

  it('reads a whole reply that also has an empty delta', () => {
    const message = { content: 'Yes.' };
    const whole = { choices: [{ message, delta: { content: '' }, finish_reason: 'stop' }] };
    expect(reduced([whole])).toEqual({ choices: [{ message, finish_reason: 'stop' }] });
  });

  it('keeps a whole reply unchanged', () => {
    const whole = { id: 'c1', choices: [{ message: { content: 'Yes.', annotations: [] }, finish_reason: 'stop' }] };
    expect(reduced([whole])).toEqual(whole);
  });

  it('is whole by a finish_reason on the last content, not by [DONE] alone', () => {
    const [text, end, both] = [chunk({ content: 'Yes.' }), chunk({}, {}, 'stop'), chunk({ content: '.' }, {}, 'stop')];
    const isWhole = (...chunks: readonly object[]) =>
      (['done', 'closed', 'cut'] as const).map((each) => reduceOf(chunks).isWhole(each));
    expect(isWhole(text)).toEqual([false, false, false]);
    expect(isWhole(text, chunk({}, {}, ''))).toEqual([false, false, false]);
    expect(isWhole(both, text)).toEqual([false, false, false]);
    expect(isWhole(text, end)).toEqual([true, true, true]);
    // Reasons come before the end too.
    expect(isWhole(both, text, both)).toEqual([true, false, false]);
    expect(isWhole(both, both, end)).toEqual([true, false, false]);
    expect(isWhole(chunk({ reasoning_content: 'Hm.' }, {}, 'stop'), both)).toEqual([true, false, false]);
    expect(isWhole(both, chunk({ reasoning_content: 'Hm.' }), end)).toEqual([true, false, false]);
  });

  it('is broken off by the first reason for it, unless more content comes', () => {
    const [cut, stop] = [chunk({ content: 'Y' }, {}, 'length'), chunk({}, {}, 'stop')];
    expect(finishOf(reduced([cut, stop]))).toBe('truncated');
    expect(finishOf(reduced([cut, chunk({ content: 'es.' }), stop]))).toBe('complete');
  });

  it('keeps the finish reason of the model behind a router', () => {
    const native = { choices: [{ delta: {}, finish_reason: 'stop', native_finish_reason: 'network_error' }] };
    expect(finishOf(reduced([chunk({ content: 'Yes.' }), native, chunk({ content: '' })]))).toBe('failed');
    const later = { choices: [{ delta: {}, native_finish_reason: 'network_error' }] };
    expect(finishOf(reduced([chunk({ content: 'Yes.' }, {}, 'stop'), later, chunk({})]))).toBe('failed');
  });

  it('is only the error after an error', () => {
    const error = { message: 'overloaded' };
    const reduce = reduceOf([chunk({ content: 'Y' }, { error: null }), { error }]);
    expect([reduce.isWhole('cut'), reduce.end()]).toEqual([true, { error }]);
  });

  it('survives chunks of any shape', () => {
    const odd = [7, [null], [{ delta: 'x' }], [{ delta: { content: 7 } }]].map((choices) => ({ choices }));
    const nothing = { choices: [{ finish_reason: null, message: { content: '', annotations: [] } }] };
    expect(reduced([{}, ...odd])).toEqual(nothing);
    const polluting = JSON.parse('{"__proto__":{"x":1},"choices":[{"delta":{"__proto__":{"x":1}}}]}');
    expect(reduced([polluting])).not.toHaveProperty('x');
  });
});
