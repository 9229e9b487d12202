import {
  type AnswerOutcome,
  assertComplete,
  bearer,
  type CallContext,
  type Completeness,
  composeAnswer,
  type ErrorReply,
  isUpstreamError,
  type JsonObject,
  type JsonReply,
  jsonEndpoint,
  type LiveAnswer,
  type LiveParts,
  liveParts,
  type ModelRow,
  type Provider,
  type Source,
  type StreamReducer,
  type UpstreamRequest,
} from '@searchgate/core/provider-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { providerConformance } from '../provider-conformance.js';
import type { AnswerFixture, ProviderFixture } from './provider-fixture.js';

const SECRET = 'a-key-of-many-characters';
const MODEL: ModelRow = {
  slug: 'mini/answer',
  name: 'Mini',
  description: 'The smallest provider there is.',
  prices: [{ kind: 'flat', request: '0.001', source: 'its own words', asOf: '2026-11-21', confidence: 'high' }],
  features: ['citations', 'streaming'],
  contextLength: null,
  timeoutMs: 1_000,
};
const CITATIONS = [{ url: 'https://a.example/' }, { url: 'https://b.example/' }];
const EVENTS = [
  { citations: CITATIONS },
  { text: 'Yes 🌉 [' },
  { text: '1, 2], as they' },
  { text: ' say' },
  { text: ' in words.' },
  { end: 'whole' },
];
const FIXTURE: AnswerFixture = {
  name: 'an answer',
  model: 'mini/answer',
  reply: { text: 'Yes 🌉 [1, 2], as they say in words.', citations: CITATIONS, end: 'whole' },
  answer: { text: 'Yes 🌉 [1][2], as they say in words.', citations: CITATIONS, cost: {} },
  stream: { body: EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') },
};

interface Flaws {
  /** Wraps the receiver of the answer. */
  readonly live?: (live: LiveAnswer) => LiveAnswer;
  readonly outcome?: (outcome: AnswerOutcome) => AnswerOutcome;
  /** Handles a failed attempt, after this text was handed over. */
  readonly failed?: (error: unknown, live: LiveAnswer) => AnswerOutcome;
  /** Changes the reducer of the stream. */
  readonly reduce?: (reduce: StreamReducer) => StreamReducer;
  readonly errorReply?: ErrorReply;
  /** Reads how a reply ended. */
  readonly completeness?: Completeness<{ readonly end?: string | null | undefined }>;
  readonly features?: readonly string[];
  /** Keeps reading after any event. */
  readonly readsOn?: boolean;
  readonly stream?: undefined;
}

const reply = z.object({
  text: z.string(),
  citations: z.array(z.object({ url: z.string() })),
  end: z.string().nullish(),
});

function reduceMini(live: LiveParts | undefined): StreamReducer {
  let text = '';
  let end: unknown;
  let failed: JsonObject | undefined;
  const sources: Source[] = [];
  return {
    push(event) {
      if (Object.values(event['error'] ?? {}).some((field) => field !== null)) failed ??= event;
      if (failed !== undefined) return;
      end = event['end'] ?? end;
      if (typeof event['text'] === 'string') {
        text += event['text'];
        live?.text(event['text']);
      }
      const named = z.array(z.object({ url: z.string() })).safeParse(event['citations']);
      if (!named.success) return;
      sources.push(...named.data);
      live?.sources(named.data);
    },
    isWhole: () => (failed ?? end) !== undefined,
    end: () => failed ?? { text, citations: sources, end },
  };
}

/** A correct streaming provider, except for the given flaws. */
function mini(baseUrl: string, flaws: Flaws): Provider {
  const {
    live: alter = (live) => live,
    outcome: spoil = (outcome) => outcome,
    failed,
    reduce = (each) => each,
  } = flaws;
  const connection = { baseUrl, apiKey: SECRET, headers: {} };
  const errors = [{ code: 'quota', reason: 'upstream_quota_exhausted' }] as const;
  const { errorReply, completeness = ({ end }) => (end === 'whole' ? 'complete' : 'unproven') } = flaws;
  const common = { path: '/answer', authorize: bearer, errors, errorReply, reply, completeness };
  const ask = jsonEndpoint(connection, common);
  const askLive = jsonEndpoint(connection, { ...common, reduce: (live) => reduce(reduceMini(live)) });
  const compose = ({ body: { text, citations }, finish, failure }: JsonReply<z.output<typeof reply>>) => {
    assertComplete({ finish, failure }, {});
    return composeAnswer({ text, sources: citations, cost: {} });
  };
  return {
    id: 'mini',
    name: 'Mini',
    models: [{ ...MODEL, features: flaws.features ?? MODEL.features }],
    answer: {
      answer: async ({ query }, context) => compose(await ask({ query }, context)),
      ...('stream' in flaws
        ? {}
        : {
            async stream({ query }, context, live) {
              const taker = alter(live);
              try {
                const asking = flaws.readsOn ? readingOn(context) : context;
                return spoil(compose(await askLive({ query }, asking, liveParts(taker))));
              } catch (error) {
                if (failed === undefined) throw error;
                return failed(error, taker);
              }
            },
          }),
    },
  };
}

function readingOn({ upstream, signal }: CallContext): CallContext {
  const readAll = (onText: UpstreamRequest['onText']) => (piece: string) => onText?.(piece) !== undefined;
  return { signal, upstream: { send: (request) => upstream.send({ ...request, onText: readAll(request.onText) }) } };
}

/** The failed tests of the suite, with a minimal runner. */
async function failuresWith(flaws: Flaws, ...fixtures: readonly ProviderFixture[]): Promise<string[]> {
  const tests: { name: string; body: () => Promise<void> }[] = [];
  providerConformance({
    describe: (_name, body) => body(),
    it: (name, body) => tests.push({ name, body }),
    secret: SECRET,
    create: (baseUrl) => mini(baseUrl, flaws),
    evidence: { reply: ['end'], stream: ['"end":"whole"'] },
    fixtures: fixtures.length === 0 ? [FIXTURE] : fixtures,
  });
  const ofStreams = tests.filter(({ name }) => /stream|as it comes|evidence/.test(name));
  const failed: string[] = [];
  for (const { name, body } of ofStreams) await body().catch(() => failed.push(name));
  return failed;
}

const [REPLY, PROOF, STREAMS, WHOLE, BROKEN, ERRORS, VALUES, STALLS] = [
  'accepts an answer from mini/answer only with its evidence',
  'accepts the stream of an answer from mini/answer only after its evidence',
  'streams mini/answer',
  'streams an answer from mini/answer in parts',
  'refuses a truncated stream of an answer from mini/answer',
  'sees an error in the stream of an answer from mini/answer',
  'survives any value in the stream of an answer from mini/answer',
  'does not wait for the rest of the stream of an answer from mini/answer',
];

/** Replaces methods of a receiver. */
const instead = (taken: (live: LiveAnswer) => Partial<LiveAnswer>) => (live: LiveAnswer) => ({
  citations: (each: AnswerOutcome['citations']) => live.citations(each),
  text: (part: string) => live.text(part),
  ...taken(live),
});

describe('the conformance suite of streams', () => {
  it('passes a correct provider', async () => {
    expect(await failuresWith({})).toEqual([]);
  });

  it('requires a stream of each streaming model', async () => {
    const { stream: _none, ...plain } = FIXTURE;
    expect(await failuresWith({}, plain)).toEqual([STREAMS]);
    expect(await failuresWith({ stream: undefined })).toContain(STREAMS);
  });

  it('sees a stream of a model without the feature streaming', async () => {
    expect(await failuresWith({ features: ['citations'] })).toEqual([WHOLE]);
  });

  it('sees a misread error event of a fixture', async () => {
    const failing: ProviderFixture = {
      name: 'an error in a stream',
      model: 'mini/answer',
      stream: { body: 'data: {"text":"Yes"}\n\ndata: {"fault":{"kind":"quota"}}\n\n' },
      failure: { reason: 'upstream_quota_exhausted', phase: 'shape' },
    };
    const errorReply = z
      .object({ fault: z.object({ kind: z.string() }) })
      .transform(({ fault }) => ({ code: fault.kind }));
    expect(await failuresWith({}, FIXTURE, failing)).toEqual(['understands an error in a stream from mini/answer']);
    expect(await failuresWith({ errorReply }, FIXTURE, failing)).toEqual([]);
  });

  it.each<[string, Required<Flaws>['live']]>([
    ['citations that are not handed over', instead(() => ({ citations: () => undefined }))],
    ['citations in another order', instead((live) => ({ citations: (each) => live.citations(each.toReversed()) }))],
    [
      'citations that are not in the outcome',
      instead((live) => ({ citations: (each) => live.citations([...each, { url: 'https://c.example/' }]) })),
    ],
    [
      'a list of citations that shrinks',
      instead((live) => ({
        citations(each) {
          live.citations(each);
          live.citations(each.slice(1, 1));
        },
      })),
    ],
    [
      'a marker that is cut',
      instead((live) => ({ text: (part) => (part.match(/./gsu) ?? []).forEach((each) => live.text(each)) })),
    ],
    [
      'a character that is cut',
      instead((live) => ({
        text(part) {
          const middle = part.indexOf('🌉') + 1;
          if (middle > 0) live.text(part.slice(0, middle));
          live.text(part.slice(middle));
        },
      })),
    ],
    ['text that is not in the outcome', instead((live) => ({ text: (part) => live.text(part.toUpperCase()) }))],
    ['text that is left out', instead((live) => ({ text: (part) => part.includes('say') || live.text(part) }))],
    [
      'text that comes twice',
      instead((live) => ({
        text(part) {
          live.text(part);
          live.text(part);
        },
      })),
    ],
    ['empty parts', instead((live) => ({ text: (part) => [part, ''].forEach((each) => live.text(each)) }))],
    ['no text before the end', instead(() => ({ text: () => undefined }))],
    [
      'text after the end',
      instead((live) => ({
        text(part) {
          if (part.startsWith(' in')) setImmediate(() => live.text(part));
          else live.text(part);
        },
      })),
    ],
  ])('sees %s', async (_what, live) => {
    expect(await failuresWith({ live })).toContain(WHOLE);
  });

  it.each<[string, Required<Flaws>['outcome']]>([
    ['a lost citation', (outcome) => ({ ...outcome, citations: outcome.citations.slice(0, 1) })],
    ['another text', (outcome) => ({ ...outcome, text: `${outcome.text} Really.` })],
    ['an invented cost', (outcome) => ({ ...outcome, cost: { reported: 1n } })],
  ])('sees %s in the outcome of a stream', async (_what, outcome) => {
    expect(await failuresWith({ outcome })).toContain(WHOLE);
  });

  it('requires all markers in the stream, or none if they are late', async () => {
    const late = { ...FIXTURE, stream: { ...FIXTURE.stream!, markersAreLate: true as const } };
    const live = instead((taker) => ({
      text(part) {
        const unmarked = part.replaceAll(/ ?\[\d\]/g, '');
        if (unmarked !== '') taker.text(unmarked);
      },
    }));
    expect(await failuresWith({ live }, late)).toEqual([]);
    expect(await failuresWith({ live })).toContain(WHOLE);
    expect(await failuresWith({}, late)).toContain(WHOLE);
  });

  it('requires citations before their markers, unless they are late', async () => {
    const live = instead(() => ({ citations: () => undefined }));
    const late = { ...FIXTURE, stream: { ...FIXTURE.stream!, citationsAreLate: true as const } };
    expect(await failuresWith({ live }, late)).toEqual([]);
    expect(await failuresWith({ live })).toContain(WHOLE);
  });

  it('sees an adapter that does not wait for the end of a stream', async () => {
    const reduce: Flaws['reduce'] = (each) => ({ ...each, isWhole: () => true });
    expect(await failuresWith({ reduce, completeness: 'valid JSON' })).toEqual([BROKEN, STALLS, REPLY, PROOF]);
  });

  it.each<[string, Required<Flaws>['reduce']]>([
    ['the end of its body', (each) => ({ ...each, isWhole: (end) => end === 'closed' || each.isWhole(end) })],
    ['its last word', (each) => ({ ...each, isWhole: (end) => end === 'done' || each.isWhole(end) })],
    ['less than its evidence', (each) => ({ ...each, isWhole: () => each.end()['text'] !== '' })],
  ])('sees a stream that is whole by %s alone', async (_what, reduce) => {
    expect(await failuresWith({ reduce, completeness: 'valid JSON' })).toContain(PROOF);
  });

  it('sees a stream cut after its evidence', async () => {
    const reduce: Flaws['reduce'] = (each) => ({ ...each, isWhole: (end) => end !== 'cut' && each.isWhole(end) });
    expect(await failuresWith({ reduce })).toEqual([PROOF]);
  });

  it('sees a reply accepted without its evidence', async () => {
    expect(await failuresWith({ completeness: 'valid JSON' })).toEqual([REPLY]);
    expect(await failuresWith({}, { ...FIXTURE, reply: { text: 'Yes.', citations: [] } })).toContain(REPLY);
  });

  it('sees an error accepted as the end', async () => {
    const reduce: Flaws['reduce'] = ({ push, end }) => ({
      push: ({ error: _lost, ...event }) => push(event),
      isWhole: () => true,
      end,
    });
    expect(await failuresWith({ reduce, completeness: 'valid JSON' })).toContain(ERRORS);
  });

  it('sees a call that keeps waiting after an error', async () => {
    expect(await failuresWith({ readsOn: true })).toEqual([ERRORS]);
  });

  it('sees text after an error', async () => {
    const failed: Flaws['failed'] = (error, live) => {
      live.text(' Sorry.');
      throw error;
    };
    expect(await failuresWith({ failed })).toContain(ERRORS);
  });

  it('sees a crash caused by a value', async () => {
    const reduce: Flaws['reduce'] = (each) => ({
      ...each,
      push(event) {
        if (event['text'] === null) throw new TypeError('cannot read properties of null');
        each.push(event);
      },
    });
    expect(await failuresWith({ reduce })).toContain(VALUES);
  });

  it('sees a stalled stream accepted as an answer', async () => {
    const failed: Flaws['failed'] = (error) => {
      if (isUpstreamError(error) && error.reason !== 'upstream_timeout') throw error;
      return FIXTURE.answer;
    };
    expect(await failuresWith({ failed })).toEqual([STALLS]);
  });
});
