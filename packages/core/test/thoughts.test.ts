import { describe, expect, it } from 'vitest';
import { isUpstreamError } from '../src/base/errors/upstream-error.js';
import type { Provider } from '../src/provider-kit/index.js';
import * as allProviders from '../src/providers/index.js';
import { askOnce } from './ask-once.js';
import { expectedAnswers } from './every-model/expected-answers.js';
import { serve } from './every-model/serve.js';
import { livePartsIn } from './live-parts-of.js';
import { eventsOf, RECORDED_STREAMS } from './recorded-streams.js';
import { KEY, start } from './scripted-gateway.js';

// Thoughts before the text of every provider's recorded answers. The places of the text in a reply are found, so a new provider is covered by itself.

const PROBE = 'Qqq ';
const OPENED = [
  '<think>SECRET [1]</think>',
  '\n<THINKING lang="en">\nSECRET\n</ Thinking >\n',
  '<reasoning>SECRET</reasoning>',
  '<thought>SECRET</thought>',
  '<reflection>SECRET</reflection>',
  '<|begin_of_thought|>SECRET<|end_of_thought|>',
  '◁think▷SECRET◁/think▷',
  '[THINK]SECRET[/THINK]',
  '<think>SECRET</think>\n<think/><thought>SECRET</thought>',
];
const LONE = ['SECRET</think>', 'SECRET.\n</THINKING>\n\n', 'SECRET◁/think▷', 'SECRET<|end_of_thought|>'];
const OPEN = ['<think>SECRET ', '◁think▷SECRET '];
/** Offsets of annotations in the replies do not count the thoughts, so the markers stand elsewhere. */
const unmarked = (text = '') => text.replaceAll(/ ?\[\d\]/g, '').trim();
const KEPT = ['The tag `</think>` ends a thought. ', 'Tags: <think> and </think>. '];

/** Changes the texts at some places of a JSON text, counted in the order of `JSON.parse`. */
function edit(json: string, change: (text: string, place: number) => string): string {
  let place = -1;
  const value: unknown = JSON.parse(json, (_name, each: unknown) => {
    if (typeof each !== 'string') return each;
    place += 1;
    return change(each, place);
  });
  return JSON.stringify(value);
}

function placesOf(json: string): number[] {
  const places: number[] = [];
  edit(json, (text, place) => {
    if (text.trim() !== '') places.push(place);
    return text;
  });
  return places;
}

/** The JSON of a reply, or of an event, with other texts at some places. */
const editAt = (reply: string, places: readonly number[], change: (text: string) => string) =>
  reply.replace(JSON_OF, (json) => edit(json, (text, place) => (places.includes(place) ? change(text) : text)));
const JSON_OF = /(?<=^data: ?)\{.*$|^\s*\{[^]*/m;
const placesIn = (reply: string) => placesOf(JSON_OF.exec(reply)?.[0] ?? '{}');

interface Edited {
  /** The reply with this text before its own. @param length cuts the streamed beginning into events. */
  (before: string, length: number): string[];
}

/** Finds the places of a recorded stream at which the text begins. */
async function editedStream(provider: Provider, model: string, events: readonly string[]): Promise<Edited> {
  const begins = new Map<number, { readonly live: number[]; readonly last: number[] }>();
  for (const [index, event] of events.entries()) {
    for (const place of placesIn(event)) {
      const probed = events.with(
        index,
        editAt(event, [place], (text) => PROBE + text),
      );
      const { text, outcome } = await livePartsIn(provider, { model, chunks: [probed.join('')] });
      const isLive = text.startsWith(PROBE);
      if (!isLive && outcome?.text.startsWith(PROBE) !== true) continue;
      const found = begins.get(index) ?? { live: [], last: [] };
      (isLive ? found.live : found.last).push(place);
      begins.set(index, found);
    }
  }
  expect([...begins.values()].some(({ live }) => live.length > 0)).toBe(true);
  return (before, length) =>
    events.flatMap((event, index) => {
      const { live = [], last = [] } = begins.get(index) ?? {};
      if (live.length === 0) return [editAt(event, last, (text) => before + text)];
      const pieces = before.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
      return [...pieces.map((piece) => editAt(event, live, () => piece)), event];
    });
}

/** The same of a whole reply, in events or not. */
async function editedReply(provider: Provider, slug: string, parts: readonly string[]) {
  const begins = parts.map((): number[] => []);
  for (const [index, part] of parts.entries())
    for (const place of placesIn(part)) {
      const probed = parts
        .with(
          index,
          editAt(part, [place], (text) => PROBE + text),
        )
        .join('');
      const asked = await askOnce(provider, slug, probed).catch(() => undefined);
      if (asked?.outcome.text.startsWith(PROBE) === true) begins[index]?.push(place);
    }
  expect(begins.flat()).not.toEqual([]);
  return (before: string) =>
    parts.map((part, index) => editAt(part, begins[index] ?? [], (text) => before + text)).join('');
}

const REPLIES = Object.values(allProviders).flatMap((create) => {
  const provider = create({ apiKey: 'a-key', baseUrl: 'http://127.0.0.1:9' });
  const seen = new Map([...expectedAnswers(provider.id)].map(([slug, { reply }]) => [String(reply), slug]));
  return [...seen].map(([reply, slug]) => ({
    provider,
    slug,
    parts: reply.split(/(?<=\r?\n\r?\n)(?=data|event|id|:)/),
  }));
});

describe.each(REPLIES)('a reply of $slug', ({ provider, slug, parts }) => {
  it('is delivered without thoughts', async () => {
    const before = await editedReply(provider, slug, parts);
    const textOf = async (text: string) => unmarked((await askOnce(provider, slug, before(text))).outcome.text);
    const plain = await textOf('');
    for (const form of [...OPENED, ...LONE]) expect(await textOf(form)).toBe(plain);
    for (const form of KEPT) expect((await textOf(form)).startsWith(form)).toBe(true);
    for (const form of OPEN) await expect(textOf(form)).rejects.toMatchObject({ reason: 'upstream_invalid_response' });
  });
});

describe.each(RECORDED_STREAMS)('a stream of $model', (stream) => {
  const provider = stream.create({ apiKey: 'a-key', baseUrl: 'http://127.0.0.1:9' });

  it('is delivered without thoughts, in any pieces', async () => {
    const before = await editedStream(provider, stream.model, eventsOf(stream));
    const run = (form: string, length: number) =>
      livePartsIn(provider, { model: stream.model, chunks: [before(form, length).join('')] });
    const plain = await livePartsIn(provider, { model: stream.model, chunks: [eventsOf(stream).join('')] });
    for (const length of [1, 7, 1_000]) {
      for (const form of [...OPENED, ...LONE]) {
        const { text, outcome, error } = await run(form, length);
        const answer = { form, isBeginning: true, text: unmarked(plain.outcome?.text), error: undefined };
        const failure = { form, isBeginning: false, text: '', error: 'upstream_invalid_response' };
        // Only a closing tag alone may come too late.
        expect(LONE.includes(form) ? [answer, failure] : [answer]).toContainEqual({
          form,
          isBeginning: plain.text.startsWith(text),
          text: unmarked(outcome?.text),
          error: isUpstreamError(error) ? error.reason : error,
        });
      }
      for (const form of KEPT) expect((await run(form, length)).outcome?.text.startsWith(form)).toBe(true);
      for (const form of OPEN) expect(await run(form, length)).toMatchObject({ text: '', error: expect.anything() });
    }
  });
});

/** The same streams of models that may write thoughts which only a closing tag ends. */
const THINKING = [
  { model: 'openrouter/answer', change: (event: string) => event.replace('openai/gpt-6-luna', 'qwen/qwen4') },
  { model: 'zai/glm-5.3', change: (event: string) => event.replace('"reasoning_content"', '"unknown"') },
];

describe('a stream of a model that may think', () => {
  it.each(THINKING)('of $model has no thoughts, whatever tag ends them', async ({ model, change }) => {
    const stream = RECORDED_STREAMS.find((each) => each.model === model)!;
    const provider = stream.create({ apiKey: 'a-key', baseUrl: 'http://127.0.0.1:9' });
    const edited = await editedStream(provider, model, eventsOf(stream));
    const before = (form: string, length: number) => edited(form, length).map(change);
    const plain = await livePartsIn(provider, { model, chunks: before('', 1) });
    for (const form of LONE) {
      const { text, outcome } = await livePartsIn(provider, { model, chunks: before(form, 1) });
      expect(outcome?.text).toBe(plain.outcome?.text);
      expect(outcome?.text.startsWith(text.trim())).toBe(true);
    }
    const { parts } = await livePartsIn(provider, { model, chunks: before('It is. '.repeat(200), 7) });
    expect(parts[0]?.length).toBeLessThan(1_010);
    expect(parts.length).toBeGreaterThan(20);
  });

  it('fails without a charge if thoughts were delivered', async () => {
    const text = `data: {"choices":[{"delta":{"content":"SECRET. "}}]}\n\ndata: {"choices":[{"delta":{"content":"</think>Yes."},"finish_reason":"stop"}]}\n\n`;
    const upstream = await serve((req, res) => {
      req.resume().once('end', () => res.setHeader('content-type', 'text/event-stream').end(text));
    });
    const { gateway, totals, kinds } = start([allProviders.exa({ apiKey: 'a-key', baseUrl: upstream.url })]);
    const question = { apiKey: KEY, model: 'exa/answer', query: 'Is it open?' };
    const events: unknown[] = [];
    for await (const event of gateway.answerStream(question)) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { reason: 'upstream_invalid_response' } });
    await gateway.close();
    await upstream.close();
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    expect(await kinds()).not.toContainEqual(['charge', expect.anything()]);
  });
});
