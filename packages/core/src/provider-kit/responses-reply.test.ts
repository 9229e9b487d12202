import { describe, expect, it } from 'vitest';
import {
  finishReasonOf,
  joinMessages,
  type ResponsesReply,
  responsesReply,
  searchesOf,
  textPartsOf,
  tokensOf,
} from './responses-reply.js';

const parse = (reply: object): ResponsesReply => responsesReply.parse({ output: [], ...reply });
const message = (content: unknown, more: object = {}) => ({ type: 'message', content, ...more });
const text = (words: string) => ({ type: 'output_text', text: words });
const REFUSAL = { type: 'refusal', refusal: 'I cannot.' };

describe('textPartsOf', () => {
  const partsOf = (output: object[]) => textPartsOf(parse({ output })).map((parts) => parts.map((part) => part.text));

  it('finds the text of messages, in order', () => {
    const output = [
      { type: 'reasoning', summary: [], content: [text('Hm.')] },
      message([text('It is '), { type: 'other', text: '!' }, text('open.')]),
      { type: 'web_search_call', content: 'x' },
      message([text('Yes.')]),
    ];
    expect(partsOf(output)).toEqual([['It is ', 'open.'], ['Yes.']]);
  });

  it('leaves out comments on the way to a final answer', () => {
    const output = [message([text('I search.')], { phase: 'commentary' }), message([text('Yes.')])];
    expect(partsOf(output)).toEqual([['I search.'], ['Yes.']]);
    expect(partsOf([...output, message([text('No.')], { phase: 'final_answer' })])).toEqual([['Yes.'], ['No.']]);
  });

  it('finds no parts in an empty reply', () => {
    expect(partsOf([message(null), message('text'), message([]), message([text('')]), {}, message([REFUSAL])])).toEqual(
      [],
    );
    expect(textPartsOf(parse({ output: null }))).toEqual([]);
  });
});

describe('joinMessages', () => {
  it('joins parts without a separator and messages as paragraphs', () => {
    const messages = textPartsOf(parse({ output: [message([text('a'), text('b')]), message([text('c')])] }));
    const write = ({ text: words }: { readonly text?: string | null | undefined }) => ({
      text: `${words}!`,
      marks: [{ at: 1, ids: [`${words}`] }],
    });
    expect(joinMessages(messages, write)).toEqual({
      text: 'a!b!\n\nc!',
      marks: [
        { at: 1, ids: ['a'] },
        { at: 3, ids: ['b'] },
        { at: 7, ids: ['c'] },
      ],
    });
  });
});

describe('finishReasonOf', () => {
  const incomplete = (reason?: string) => ({ status: 'incomplete', incomplete_details: { reason } });
  const answer = [message([text('Yes.')])];

  it.each([
    ['complete', { status: 'completed' }],
    ['unproven', { status: null }],
    ['unproven', {}],
    ['truncated', incomplete('max_output_tokens')],
    ['cut', incomplete('turn_limit')],
    ['cut', incomplete()],
    ['cut', { status: 'incomplete', incomplete_details: null }],
    ['refused', incomplete('content_filter')],
    ['failed', { status: 'failed' }],
    ['failed', { status: 'cancelled' }],
    ['failed', { status: 'queued' }],
    ['failed', { status: 'in_progress' }],
    ['failed', { status: 'requires_action' }],
  ])('is %s for %j', (finishReason, reply) => {
    expect(finishReasonOf(parse({ output: answer, ...reply }))).toBe(finishReason);
  });

  it('is a refusal when the reply has only a refusal', () => {
    expect(finishReasonOf(parse({ output: [message([REFUSAL])] }))).toBe('refused');
    expect(finishReasonOf(parse({ output: [message([text('Yes, but'), REFUSAL])], status: 'completed' }))).toBe(
      'complete',
    );
    expect(finishReasonOf(parse({ output: [message([text('Yes, but'), REFUSAL])], status: 'incomplete' }))).toBe(
      'refused',
    );
  });
});

describe('searchesOf', () => {
  it('counts searches that have run', () => {
    const call = (more: object) => ({ type: 'web_search_call', ...more });
    const output = [
      call({ status: 'completed', action: { type: 'search', query: 'a' } }),
      call({ status: 'completed', action: { type: 'open_page' } }),
      call({ status: 'completed', action: { type: 'find_in_page' } }),
      call({ status: 'failed', action: { type: 'search' } }),
      call({ name: 'web_search', arguments: '{}' }),
      { type: 'file_search_call', status: 'completed' },
    ];
    expect(searchesOf(parse({ output }))).toBe(2);
    expect(searchesOf(parse({ output: null }))).toBe(0);
  });

  it('believes that a search is searching only where the reply is complete', () => {
    const count = (status: string, end: string) =>
      searchesOf(parse({ status: end, output: [{ type: 'web_search_call', status }] }));
    expect(['completed', 'incomplete', ''].map((end) => count('searching', end))).toEqual([1, 0, 0]);
    expect([count('in_progress', 'completed'), count('completed', 'incomplete')]).toEqual([0, 1]);
  });
});

describe('tokensOf', () => {
  it('reads the used tokens', () => {
    const usage = { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 2 };
    expect(tokensOf(parse({ usage }))).toEqual({ inputTokens: 9, cachedInputTokens: 4, outputTokens: 2 });
    expect(tokensOf(parse({ usage: null }))).toEqual({});
    expect(tokensOf(parse({ usage: { input_tokens: 'nine', input_tokens_details: 7 } }))).toEqual({
      inputTokens: null,
    });
  });
});
