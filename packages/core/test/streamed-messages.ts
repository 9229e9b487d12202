import { describe, expect, it } from 'vitest';
import type { Provider } from '../src/provider-kit/provider.js';
import { askOnce, fixturesIn, streamsIn } from './ask-once.js';
import { livePartsIn, livePartsOf } from './live-parts-of.js';
import { expectBeginning, piecesOf } from './streamed-answers.js';

type Fields = Record<string, unknown>;

/** Server-sent events of these types and fields. */
export function eventText(events: readonly Fields[]): string {
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** The stream events of a whole message. Citations precede the text of their block, as in recordings. */
export function messageEvents(message: Fields): Fields[] {
  const { content, stop_reason, stop_details, usage, ...head } = message;
  const counts = usage as Fields | null | undefined;
  const started = { ...head, content: [], stop_reason: null, usage: counts && { ...counts, output_tokens: 1 } };
  return [
    { type: 'message_start', message: started },
    { type: 'ping' },
    ...(content as (Fields | null)[]).flatMap((block, index) => blockEvents(block ?? {}, index)),
    { type: 'message_delta', delta: { stop_reason, stop_details, stop_sequence: null }, usage: counts },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: Fields, index: number): Fields[] {
  const start: Fields = { ...block };
  const deltas: Fields[] = [];
  if (Array.isArray(block['citations'])) {
    start['citations'] = [];
    for (const citation of block['citations']) deltas.push({ type: 'citations_delta', citation });
  }
  for (const name of ['text', 'thinking', 'signature']) {
    if (typeof block[name] !== 'string') continue;
    start[name] = '';
    for (const part of piecesOf(block[name])) deltas.push({ type: `${name}_delta`, [name]: part });
  }
  if (block['type'] === 'server_tool_use') {
    start['input'] = {};
    for (const partial_json of ['', ...piecesOf(JSON.stringify(block['input'] ?? {}))])
      deltas.push({ type: 'input_json_delta', partial_json });
  }
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

export interface StreamedMessagesOptions {
  /** The folder of the provider's test. */
  readonly folder: string;
  readonly model: string;
  readonly create: (baseUrl?: string) => Provider;
  /** The path of the request. */
  readonly path: string;
  /** Fixtures of whole replies with an answer. */
  readonly whole: readonly string[];
  /** The fixtures of a stream and of the same reply as a whole. */
  readonly stream: readonly [stream: string, whole: string];
  /** The fixture of a reply without a search. */
  readonly ungrounded: string;
}

/** Some providers charge by the hour in this header; without the header they charge the peak price. */
const PEAK = { date: 'Mon, 23 Nov 2026 02:00:00 GMT' };

/** Tests for every provider with streamed Messages. */
export function streamedMessages(options: StreamedMessagesOptions): void {
  const { folder, model, create, path, whole, ungrounded } = options;
  const fixture = fixturesIn(folder);
  const stream = streamsIn(folder)(options.stream[0]);
  const plainOf = async (name: string) => (await askOnce(create(), model, fixture(name))).outcome;

  describe('a stream', () => {
    it('arrives in parts, with its markers and sources, and ends like the whole reply', async () => {
      const run = await livePartsOf({ create, model, chunks: stream.split(/(?<=\n\n)/), headers: PEAK });
      const answer = await plainOf(options.stream[1]);
      expectBeginning(run, answer);
      expect(run.text).toBe(answer.text);
      expect(run.parts.length).toBeGreaterThan(5);
      expect(run.citations).toEqual(answer.citations);
      expect(run.requests).toHaveLength(1);
      expect(run.requests[0]).toMatchObject({
        path,
        headers: { accept: 'text/event-stream' },
        body: { stream: true, messages: [{ role: 'user', content: 'Is it open?' }] },
      });
    });

    it.each(whole)('of %s ends like the whole reply', async (name) => {
      const chunks = [eventText(messageEvents(fixture(name)))];
      expectBeginning(await livePartsIn(create(), { model, chunks }), await plainOf(name));
    });

    it('with an error event ends there', async () => {
      const told = eventText([{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }]);
      const at = stream.lastIndexOf('event: content_block_start');
      const { text, error } = await livePartsIn(create(), {
        model,
        chunks: [stream.slice(0, at), told, stream.slice(at)],
      });
      expect(error).toMatchObject({
        reason: 'upstream_invalid_response',
        detail: expect.stringContaining('Overloaded'),
      });
      expect(text).toBe((await livePartsIn(create(), { model, chunks: [stream.slice(0, at)] })).text);
    });

    it('without a search is not an answer, and delivers no part', async () => {
      const chunks = [eventText(messageEvents(fixture(ungrounded)))];
      const { parts, error } = await livePartsIn(create(), { model, chunks });
      expect([parts, error]).toMatchObject([[], { reason: 'upstream_invalid_response', phase: 'shape' }]);
    });
  });
}
