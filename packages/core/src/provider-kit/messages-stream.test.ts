import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageEvents } from '../../test/streamed-messages.js';
import { composeAnswer } from './compose-answer.js';
import { liveParts } from './live-parts.js';
import { readTurn } from './messages-reply.js';
import { LiveTurn, reduceMessages } from './messages-stream.js';
import type { JsonObject } from './reduce-stream.js';

const cites = (url: string, title: string | null = null) => ({ type: 'web_search_result_location', url, title });
const text = (words: string, ...citations: readonly unknown[]) => ({ type: 'text', text: words, citations });
const FOUND = { type: 'web_search_tool_result', content: [{ url: 'https://example.org/1', title: 'Found' }] };
const message = (...content: readonly unknown[]) => ({ content, stop_reason: 'end_turn', usage: { output_tokens: 3 } });

/** The message of these events, and the parts that were handed over. */
function reduce(events: readonly JsonObject[]) {
  const parts: string[] = [];
  let titles: (string | null | undefined)[] = [];
  const live = new LiveTurn(
    liveParts(
      {
        text: (part) => parts.push(part),
        citations: (citations) => (titles = citations.map(({ title }) => title)),
      },
      { numbersAreWords: true },
    ),
  );
  const reducer = reduceMessages(live);
  for (const event of events) reducer.push(event);
  const whole = reducer.isWhole('cut') ? reducer.end() : undefined;
  return { whole, text: parts.join(''), titles };
}

const delta = (index: number, fields: object) => ({ type: 'content_block_delta', index, delta: fields });

describe('the events of a message', () => {
  it('make the blocks of the whole message, and the beginning of its text', () => {
    const words = fc.constantFrom('It is', ' open', '. ', '\n', '`a`', '[1]', '', '😀');
    const citation = fc.constantFrom(cites('https://example.org/1'), cites('https://example.org/2', 'Two'), null, {});
    const block = fc.oneof(
      fc.tuple(words, fc.array(citation, { maxLength: 2 })).map(([each, citations]) => text(each, ...citations)),
      fc.constantFrom<object>(FOUND, { type: 'thinking', thinking: 'Well, well', signature: 'c2ln' }),
      fc.constant({ type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'a "b" ü' } }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (content) => {
        const { whole, text: given } = reduce(messageEvents(message(...content)));
        expect(whole).toMatchObject({ content, stop_reason: 'end_turn', usage: { output_tokens: 3 } });
        const { text: all, marks, sources } = readTurn(content);
        expect(composeAnswer({ text: `${all}\nend`, marks, sources, cost: {} }).text.slice(0, given.length)).toBe(
          given,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('give a cited page the title that the search found', () => {
    const { titles } = reduce(messageEvents(message(FOUND, text('Open', cites('https://example.org/1')))));
    expect(titles).toEqual(['Found']);
  });

  it('keep the latest value of each count', () => {
    const { whole } = reduce([
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 5, output_tokens: 1, tier: 'standard' } } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 90, output_tokens: 7 } },
    ]);
    expect(whole).toMatchObject({ id: 'm', usage: { input_tokens: 90, output_tokens: 7, tier: 'standard' } });
  });

  it('hand over no text of a block that is not the last', () => {
    const { whole, text: given } = reduce([
      { type: 'content_block_start', index: 0, content_block: text('Open', cites('https://example.org/1')) },
      { type: 'content_block_start', index: 1, content_block: text(' now') },
      delta(0, { type: 'text_delta', text: 'ed' }),
      delta(1, { type: 'text_delta', text: ' and then' }),
      { type: 'message_stop' },
    ]);
    expect(whole).toMatchObject({ content: [{ text: 'Opened' }, { text: ' now and then' }] });
    expect(given).toBe('Open[1] now');
  });

  it('ignore deltas without a block', () => {
    const { whole } = reduce([delta(3, { type: 'text_delta', text: 'Lost' }), { type: 'message_stop' }]);
    expect(whole).toMatchObject({ content: [] });
  });

  it('are refused where the input of a tool cannot be read', () => {
    const events = [
      { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', input: {} } },
      delta(0, { type: 'input_json_delta', partial_json: '{"query":' }),
      { type: 'content_block_stop', index: 0 },
    ];
    expect(() => reduce(events)).toThrow(
      expect.objectContaining({ reason: 'upstream_invalid_response', phase: 'parse' }),
    );
  });

  it('are whole after the last event, or after a reason that follows all content', () => {
    const start = { type: 'message_start', message: {} };
    const ending = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    const block = { type: 'content_block_start', index: 1, content_block: text('Yes.') };
    expect(reduce([start, block]).whole).toBeUndefined();
    expect(reduce([start, block, ending]).whole).toBeDefined();
    expect(reduce([start, ending, block]).whole).toBeUndefined();
    expect(reduce([start, block, ending, delta(1, { type: 'text_delta', text: ' No.' })]).whole).toBeUndefined();
    expect(reduce([start, block, { type: 'message_stop' }]).whole).toBeDefined();
    // The reason comes before the end too.
    const often = [start, block, ending, delta(1, { type: 'text_delta', text: ' No.' }), ending];
    expect(reduce(often).whole).toBeUndefined();
    expect(reduce([...often, { type: 'message_stop' }]).whole).toMatchObject({ stop_reason: 'end_turn' });
  });

  it('are no message where they are of another form', () => {
    const reducer = reduceMessages(undefined);
    reducer.push({ message: 'No such model' });
    expect(reducer.isWhole('done')).toBe(false);
    expect(reducer.end()).toEqual({ message: 'No such model' });
  });
});
