import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AnswerEvent, createClient, isSearchgateError } from '../src/index.js';
import {
  ANSWER,
  DONE,
  event,
  failing,
  impatientClient,
  json,
  KEY,
  listen,
  OVERLOADED,
  QUESTION,
  type Reply,
  START,
  scriptedServer,
  streamed,
} from './stage.js';

const ENDS = { type: 'done', answer: ANSWER };
const delta = (text: string) => event('delta', { text });
const hangUp: Reply = (res) => res.destroy();

/** A summary of a stream: the types of its events, and the reason of an error. */
async function outline(events: AsyncIterable<AnswerEvent>): Promise<string[]> {
  const all: string[] = [];
  for await (const one of events) all.push(one.type === 'error' ? `error ${one.error.reason}` : one.type);
  return all;
}

/** A client that gets a stream in exactly these pieces. */
function clientOfPieces(pieces: readonly (string | Uint8Array)[]) {
  const state = { wasCanceled: false, read: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[state.read];
        state.read += 1;
        if (piece === undefined) controller.close();
        else controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      },
      cancel() {
        state.wasCanceled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'text/event-stream' };
  const { client } = impatientClient('https://gateway.test', {
    fetch: () => Promise.resolve(new Response(body, { headers })),
    maxRetries: 0,
  });
  return { events: client.answerStream(QUESTION), state };
}

/** A stream that stays silent after its first event until the call ends. */
function silentAfter(first: string, timeoutMs: number) {
  const fetchSilence = (_url: string, { signal }: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(first));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  return createClient({ baseUrl: 'https://gateway.test', fetch: fetchSilence, timeoutMs }).answerStream(QUESTION);
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

afterEach(() => {
  vi.useRealTimers();
});

describe('a stream', () => {
  it('starts when the first event is requested', async () => {
    const { url, seen } = await scriptedServer(streamed([START, DONE]));
    const events = createClient({ baseUrl: url, apiKey: KEY }).answerStream(QUESTION);
    expect(seen).toEqual([]);
    expect(await outline(events)).toEqual(['start', 'done']);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ ...QUESTION, stream: true });
    expect(seen[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is read whole despite a byte order mark and a character cut in two', async () => {
    const bytes = new TextEncoder().encode(`\ufeff${START}${delta('Zéphyr 🌉')}${DONE}`);
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const events: AnswerEvent[] = [];
    for await (const one of clientOfPieces(pieces).events) events.push(one);
    expect(events.slice(1)).toEqual([{ type: 'delta', text: 'Zéphyr 🌉' }, ENDS]);
  });

  it('may have unknown events', async () => {
    const { events } = clientOfPieces([START, event('toString', {}), event('progress', 1), 'data: {}\n\n', DONE]);
    expect(await outline(events)).toEqual(['start', 'done']);
  });

  it('ends with the error that the gateway sends', async () => {
    const metadata = { provider: 'exa', model: 'exa/answer', attempts: 1, upstream_status: null, phase: 'body' };
    const error = {
      code: 504,
      reason: 'upstream_timeout',
      message: 'Late.',
      param: null,
      retryable: true,
      request_id: 'req_1',
      metadata,
    };
    const { events } = clientOfPieces([START, delta('Yes'), event('error', { error }), delta('more')]);
    const all: AnswerEvent[] = [];
    for await (const one of events) all.push(one);
    expect(all.map(({ type }) => type)).toEqual(['start', 'delta', 'error']);
    expect(all[2]).toMatchObject({ error: { reason: 'upstream_timeout', status: 504, requestId: 'req_1', metadata } });
  });

  it.each([
    ['no event follows', [START, delta('Yes')], 'connection_failed'],
    ['an event is cut', [START, delta('Yes'), DONE.slice(0, -1)], 'connection_failed'],
    ['an event is no JSON', [START, delta('Yes'), 'event: done\ndata: {\n\n'], 'invalid_reply'],
    ['an event has another shape', [START, delta('Yes'), event('delta', { txt: '' })], 'invalid_reply'],
    ['an error is none', [START, delta('Yes'), event('error', { error: 'no' })], 'invalid_reply'],
    ['an event does not end', [START, delta('Yes'), ...Array<string>(18).fill('x'.repeat(1_000_000))], 'invalid_reply'],
  ])('ends with an error if %s', async (_what, pieces, reason) => {
    const { events, state } = clientOfPieces(pieces);
    expect(await outline(events)).toEqual(['start', 'delta', `error ${reason}`]);
    expect(state.wasCanceled || state.read > pieces.length).toBe(true);
  });

  it('ends with an error on a broken connection, and is not retried', async () => {
    const { url, seen } = await scriptedServer((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(START + delta('Yes'), () => setImmediate(() => res.destroy()));
    });
    const events = impatientClient(url).client.answerStream(QUESTION);
    const types = await outline(events);
    expect(types.at(-1)).toBe('error connection_failed');
    expect([types[0], seen.length]).toEqual(['start', 1]);
  });

  it.each<[string, Reply]>([
    ['the gateway is busy', OVERLOADED],
    ['the connection breaks', hangUp],
    ['the stream has no event', streamed([': nothing\n\n'])],
  ])('is retried under the same Idempotency-Key if %s before the first event', async (_what, reply) => {
    const { url, seen } = await scriptedServer(reply, streamed([START, DONE]));
    expect(await outline(impatientClient(url).client.answerStream(QUESTION))).toEqual(['start', 'done']);
    const [first, second] = seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).toBe(second);
  });

  it.each<[string, Reply, string]>([
    [
      'an error no retry can help',
      failing(402, { reason: 'key_limit_reached', retryable: false }),
      'key_limit_reached',
    ],
    ['an answer that is no stream', json(200, ANSWER), 'invalid_reply'],
  ])('throws %s', async (_what, reply, reason) => {
    const { url, seen } = await scriptedServer(reply);
    const first = impatientClient(url).client.answerStream(QUESTION).next();
    const error = await first.catch((caught: unknown) => caught);
    expect([isSearchgateError(error) && error.reason, seen.length]).toEqual([reason, 1]);
  });

  it('that is left early is canceled', async () => {
    const { events, state } = clientOfPieces([START, delta('Yes'), delta(' and'), DONE]);
    for await (const one of events) if (one.type === 'delta') break;
    expect(state).toEqual({ wasCanceled: true, read: 2 });
  });

  it('that is left early closes its connection', async () => {
    let whenClosed: Promise<unknown> = Promise.resolve();
    const url = await listen((_req, res) => {
      whenClosed = new Promise((resolve) => res.once('close', resolve));
      void streamed([START], { open: true })(res, _req);
    });
    for await (const one of createClient({ baseUrl: url, apiKey: KEY }).answerStream(QUESTION))
      if (one.type === 'start') break;
    await whenClosed;
  });

  it('ends with an error after timeoutMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const types: string[] = [];
    for await (const one of silentAfter(START, 12_345)) {
      types.push(one.type === 'error' ? one.error.reason : one.type);
      vi.advanceTimersByTime(12_344);
      await turn();
      expect(types).toEqual(one.type === 'start' ? ['start'] : ['start', 'timeout']);
      vi.advanceTimersByTime(1);
    }
    expect(types).toEqual(['start', 'timeout']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends with an error when its signal is aborted', async () => {
    const { url } = await scriptedServer(streamed([START], { open: true }));
    const controller = new AbortController();
    const client = createClient({ baseUrl: url, apiKey: KEY });
    const types: string[] = [];
    for await (const one of client.answerStream({ ...QUESTION, signal: controller.signal })) {
      types.push(one.type === 'error' ? one.error.reason : one.type);
      controller.abort();
    }
    expect(types).toEqual(['start', 'aborted']);
  });
});
