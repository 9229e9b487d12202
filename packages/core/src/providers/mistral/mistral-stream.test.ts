import { describe, expect, it } from 'vitest';
import { askOnce, fixturesIn, streamsIn } from '../../../test/ask-once.js';
import { livePartsIn, livePartsOf } from '../../../test/live-parts-of.js';
import { expectBeginning, piecesOf } from '../../../test/streamed-answers.js';
import { mistral } from './mistral-provider.js';

const MODEL = 'mistral/mistral-medium-latest';
const create = (baseUrl?: string) => mistral({ apiKey: 'k', baseUrl });
const fixture = fixturesIn(import.meta.dirname);
const stream = streamsIn(import.meta.dirname)('answer-stream');
const plain = async (name: string) => (await askOnce(create(), MODEL, fixture(name))).outcome;
const streamed = (...chunks: readonly string[]) => livePartsIn(create(), { model: MODEL, chunks });

type Fields = Record<string, unknown>;

function eventText(events: readonly Fields[]): string {
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** The events by which a whole conversation comes. */
function eventsOf({ conversation_id, outputs, usage }: Fields): Fields[] {
  return [
    { type: 'conversation.response.started', conversation_id },
    ...(outputs as (Fields | null)[]).flatMap((entry, output_index) => entryEvents(entry ?? {}, output_index)),
    { type: 'conversation.response.done', usage },
  ];
}

function entryEvents({ type, name, model, content }: Fields, output_index: number): Fields[] {
  const id = `${String(type)}_${output_index}`;
  if (type === 'tool.execution')
    return ['started', 'delta', 'done'].map((step) => ({ type: `tool.execution.${step}`, id, output_index, name }));
  if (type !== 'message.output') return [{ type: 'agent.handoff.started', id, output_index }];
  const chunks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as (Fields | null)[]);
  return chunks.flatMap((chunk, content_index) => {
    const isText = chunk?.['type'] === 'text' && typeof chunk['text'] === 'string';
    const pieces = isText ? piecesOf(chunk['text'] as string) : [chunk];
    return pieces.map((piece) => ({
      type: 'message.output.delta',
      id,
      output_index,
      content_index,
      model,
      content: piece,
    }));
  });
}

describe('a stream of Mistral', () => {
  it('is streamed with its markers and sources, and ends as the whole reply', async () => {
    const run = await livePartsOf({ create, model: MODEL, chunks: stream.split(/(?<=\n\n)/) });
    const answer = await plain('answer');
    expectBeginning(run, answer);
    expect(run.text).toBe(answer.text);
    expect(run.parts.slice(0, 3)).toEqual(['The Zephyr Bridge opened on 14 May 2021', '[1][2].', ' About']);
    expect(run.citations).toEqual(answer.citations);
    expect(run.requests).toMatchObject([
      {
        path: '/v1/conversations',
        headers: { accept: 'text/event-stream', authorization: 'Bearer k' },
        body: { model: 'mistral-medium-3-5', inputs: 'Is it open?', store: false, stream: true },
      },
    ]);
  });

  it.each([
    'answer-many-citations',
    'answer-premium',
    'answer-no-citations',
    'answer-two-messages',
    'answer-missing-fields',
    'answer-nulls',
    'answer-unicode',
    'answer-uncounted',
    'answer-zero-usage',
  ])('of %s ends as the whole reply', async (name) => {
    expectBeginning(await streamed(eventText(eventsOf(fixture(name)))), await plain(name));
  });

  it('drops the text before a search, and hands over all other text', async () => {
    const { text, outcome } = await streamed(eventText(eventsOf(fixture('answer-many-citations'))));
    expect(text).toMatch(/^Found first\[1\]\.\n\nBridges that opened:/);
    // The marker behind the last full stop needs what follows it.
    expect(`${text}[2]`).toBe(outcome?.text);
  });

  it('hands over no text of an earlier message, whose place is unknown', async () => {
    const events = eventsOf(fixture('answer-two-messages'));
    const late = events.find(({ content }) => content === 'It open');
    const all = [...events.slice(0, -1), { ...late, content: ' again' }, ...events.slice(-1)];
    const { text, outcome } = await streamed(eventText(all));
    expect(outcome?.text).toBe('It opened in May 2021[1]. again\n\nThat is all.');
    expect(text).toBe('It opened in May 2021[1].\n\nThat is all.'.slice(0, text.length));
  });

  it('continues after parallel searches', async () => {
    const tool = (step: string, id: string) => ({ type: `tool.execution.${step}`, id, name: 'web_search' });
    const searches = [tool('started', 'a'), tool('started', 'b'), tool('done', 'a'), tool('done', 'b')];
    const [first, ...others] = eventsOf(fixture('answer-two-messages'));
    const { text, outcome } = await streamed(eventText([first!, ...searches, ...others]));
    expect(text).toBe(outcome?.text);
    expect(text).toContain('That is all');
  });

  it('that tells of an error ends with it, and nothing comes behind it', async () => {
    const events = stream.split(/(?<=\n\n)/);
    const told = eventText([{ type: 'conversation.response.error', message: 'Model unavailable', code: 3_000 }]);
    const { text, error } = await streamed(...events.slice(0, 15), told, ...events.slice(15));
    expect(error).toMatchObject({
      reason: 'upstream_invalid_response',
      detail: expect.stringContaining('Model unavailable'),
    });
    expect(text).toBe((await streamed(...events.slice(0, 15))).text);
    expect(text).not.toBe('');
  });

  it.each(['ungrounded', 'other-tool', 'cut', 'searched-without-text', 'no-message'])(
    'of %s is no answer',
    async (name) => {
      const { error } = await streamed(eventText(eventsOf(fixture(name))));
      expect(error).toMatchObject({ reason: 'upstream_invalid_response', phase: 'shape' });
    },
  );
});
