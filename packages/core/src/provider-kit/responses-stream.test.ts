import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ResponsesEventsOptions, responsesEvents } from '../../test/responses-events.js';
import { withMarkers } from '../text/marker-writer.js';
import { ownMarkers } from '../text/own-markers.js';
import { withoutParameter } from '../text/page-url.js';
import { composeAnswer } from './compose-answer.js';
import { liveCitedText } from './live-cited-text.js';
import { liveParts } from './live-parts.js';
import { citedText } from './responses-citations.js';
import { responsesReply } from './responses-reply.js';
import { reduceResponses } from './responses-stream.js';

type Json = Record<string, unknown>;

const A = 'https://a.example/lakes';
const B = 'https://www.b.example/deepest?year=2026';
const TRACKED = 'utm_source=openai';
const clean = (text: string) => withoutParameter(text, TRACKED);
const reduce = reduceResponses({ writer: (live) => liveCitedText(live, { clean }) });

const SEARCH = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search' } };
const cite = (url: string, more: Json = {}) => ({ type: 'url_citation', url, title: `About ${url}`, ...more });
const part = (text: string, ...annotations: Json[]) => ({ type: 'output_text', text, annotations });
const message = (content: Json[], more: Json = {}) => ({ id: 'msg_1', type: 'message', content, ...more });
const reply = (...output: Json[]) => ({ id: 'resp_1', status: 'completed', output: [SEARCH, ...output] });

/** The parts that are handed over for these events, and the reduced reply. */
function run(events: readonly Json[]) {
  const shown: string[] = [];
  let urls: string[] = [];
  const live = liveParts(
    {
      text: (text) => void shown.push(text),
      citations: (citations) => {
        urls = citations.map(({ url }) => url);
      },
    },
    { numbersAreWords: true },
  );
  const reducer = reduce(live);
  for (const event of events) reducer.push(event);
  return { shown, text: shown.join(''), urls, reduced: reducer.isWhole('cut') ? reducer.end() : undefined };
}

function wholeOf(replied: Json) {
  return composeAnswer({ ...citedText(responsesReply.parse(replied), { clean }), cost: {} });
}

const textOf = (replied: Json, options?: ResponsesEventsOptions) => run(responsesEvents(replied, options)).text;

describe('the text of a Responses stream', () => {
  it('comes with markers as soon as links are annotated, and with the sources in their order', () => {
    const text = `It is deep ([a.example](${A}?${TRACKED})). It is old ([b](${B}), [a](${A})). Yes.`;
    const events = responsesEvents(reply(message([part(text, cite(`${A}?${TRACKED}`), cite(B))])));
    const upTo = (type: string, times: number) => {
      let seen = 0;
      return events.slice(0, events.findIndex((event) => event['type'] === type && ++seen === times) + 1);
    };
    const annotation = 'response.output_text.annotation.added';
    expect(run(upTo(annotation, 1))).toMatchObject({ text: 'It is deep', urls: [A] });
    expect(run(upTo(annotation, 2))).toMatchObject({ text: 'It is deep [1]. It is old', urls: [A, B] });
    expect(run(upTo('response.output_text.done', 1)).text).toBe('It is deep [1]. It is old [2][1]. Yes.');
  });

  it('holds back a link, and the text after it, until the annotation comes', () => {
    const text = `See [the lakes](${A}) and more. The end.`;
    expect(textOf(reply(message([part(text)])))).toBe('See');
    const events = responsesEvents(reply(message([part(text, cite(A))])), { annotated: 'behind the text' });
    expect(run(events).text).toBe(`See [the lakes](${A})[1] and more. The end.`);
  });

  it('hides the remains of a marker', () => {
    const text = 'It is deep \ue200cite\ue202turn0search1\ue201, and old.';
    expect(textOf(reply(message([part(text)])))).toBe('It is deep, and old.');
    expect(run(responsesEvents(reply(message([part(text)]))).slice(0, -4)).text).toBe('It is deep');
  });

  it('holds back text with an annotation but no link', () => {
    const text = `It is deep ([a](${A})). It is old, very old. It is long.`;
    const cited = [cite(A), cite(B, { start_index: 42, end_index: 50 })];
    const replied = reply(message([part(text, ...cited)]));
    expect(wholeOf(replied).text).toBe('It is deep [1]. It is old[2], very old. It is long.');
    expect(wholeOf(replied).text.startsWith(textOf(replied))).toBe(true);
  });

  it.each([
    ['an address', `It is deep (${A}). Yes.`, `(${A})`],
    [
      'the remains of a marker',
      'It is deep \ue200cite\ue202turn0search1\ue201. Yes.',
      '\ue200cite\ue202turn0search1\ue201',
    ],
  ])('puts a marker in place of %s', (_name, text, marker) => {
    const [start_index, end_index] = [text.indexOf(marker), text.indexOf(marker) + marker.length];
    const replied = reply(message([part(text, cite(A, { start_index, end_index }))]));
    for (const annotated of ['at once', 'behind the text', 'with the part'] as const)
      expect(textOf(replied, { annotated, deltaEnd: (_text, from) => from + 3 })).toBe('It is deep [1]. Yes.');
  });

  it('leaves out comments once there is a final answer, and waits for it', () => {
    const comment = message([part('I search.')], { phase: 'commentary' });
    const final = message([part('Yes.')], { phase: 'final_answer' });
    expect(textOf(reply(comment, final))).toBe('Yes.');
    expect(textOf(reply(comment, message([part('Yes.')])))).toBe('');
    expect(textOf(reply(message([part('Yes.')]), final))).toBe('Yes.\n\nYes.');
  });

  it.each(['completed', 'searching'])('waits for a search that ends as %s', (status) => {
    const replied = { status: 'completed', output: [message([part('Yes.')]), { ...SEARCH, status }] };
    const events = responsesEvents(replied);
    const searched = events.findLastIndex(({ item }) => (item as Json | undefined)?.['type'] === 'web_search_call');
    expect(run(events.slice(0, searched)).text).toBe('');
    expect(run(events.slice(0, searched + 1)).text).toBe('Yes.');
  });

  it('includes text that comes only with the whole part', () => {
    const replied = reply(message([part(`Deep ([a](${A})).`, cite(A))]));
    const events = responsesEvents(replied).filter(({ type }) => !String(type).startsWith('response.output_text'));
    expect(run(events)).toMatchObject({ text: 'Deep [1].', urls: [A] });
  });

  const LINKS = [
    'deep ',
    'old. ',
    '🌊',
    ' (',
    `([a](${A}))`,
    `[b](${B})`,
    ', ',
    ' and ',
    `[[1]](${A}?${TRACKED})`,
    '[2]',
  ];
  const OTHERS = [
    `(${B}&${TRACKED})`,
    `?${TRACKED}`,
    '?',
    '\n',
    '`',
    '``',
    '\n```\n',
    '\ue200x\ue201',
    '\\',
    ')',
    ':',
    '~~',
    'http',
    '《',
  ];
  const pages = fc.constantFrom(A, `${A}?${TRACKED}`, B, 'https://c.example/', null);
  const annotations = (at: fc.Arbitrary<number>) => fc.array(fc.tuple(pages, at), { maxLength: 4 });
  const messages = (words: readonly string[], at: fc.Arbitrary<number>) => {
    const parts = fc.tuple(fc.array(fc.constantFrom(...words), { maxLength: 14 }), annotations(at));
    const phase = fc.constantFrom(null, 'commentary', 'final_answer');
    return fc.array(fc.tuple(fc.array(parts, { minLength: 1, maxLength: 2 }), phase), { maxLength: 3 });
  };
  const options = fc.record({
    annotated: fc.constantFrom('at once' as const, 'behind the text' as const, 'with the part' as const),
    length: fc.constantFrom(1, 2, 7, 1_000),
  });

  type Drawn = readonly (readonly [(readonly [string[], (readonly [string | null, number])[]])[], string | null])[];

  interface How {
    readonly annotated: NonNullable<ResponsesEventsOptions['annotated']>;
    readonly length: number;
  }

  /** What is shown of a drawn reply, and the whole of it. */
  function outcomeOf(drawn: Drawn, { annotated, length }: How) {
    const output = drawn.map(([parts, phase]) => {
      const content = parts.map(([text, cited]) =>
        part(
          text.join(''),
          ...cited.map(([url, at]) => ({ type: 'url_citation', url, start_index: at, end_index: at })),
        ),
      );
      return message(content, { phase });
    });
    const replied = reply(message([part('So: ')]), ...output);
    const came = run(responsesEvents(replied, { annotated, deltaEnd: (_text, from) => from + length }));
    expect(came.reduced).toEqual(replied);
    const whole = wholeOf(replied);
    expect(whole.citations.slice(0, came.urls.length).map(({ url }) => url)).toEqual(came.urls);
    return { text: came.text, whole };
  }

  it('is the beginning of the whole, whatever its pieces', () => {
    fc.assert(
      fc.property(messages([...LINKS, ...OTHERS], fc.constant(0)), options, (drawn, how) => {
        const { text, whole } = outcomeOf(drawn, how);
        expect(whole.text.slice(0, text.length)).toBe(text);
      }),
      RUNS,
    );
  });

  it('lacks only markers, when annotations come after their text', () => {
    fc.assert(
      fc.property(messages(LINKS.slice(0, -1), fc.constantFrom(0, 5, 12, 60)), options, (drawn, how) => {
        const { text, whole } = outcomeOf(drawn, how);
        const [plain, begun] = [whole.text, text].map(
          (each) => withMarkers({ text: each, markers: ownMarkers(each, whole.citations.length, true) }, () => 0).text,
        );
        expect(whole.text.startsWith(text) || plain?.startsWith(begun ?? '')).toBe(true);
      }),
      RUNS,
    );
  });
});

const RUNS = { numRuns: Number(process.env['RUNS'] ?? 300) };
