import { describe, expect, it, onTestFinished } from 'vitest';
import { type GatewayOptions, type GatewayResponse, toFetchHandler } from '../src/index.js';
import type { BodyWriter, Delivery, ReplyListener, StreamedBody } from '../src/node/index.js';
import type { Provider } from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { KEY, start } from './scripted-gateway.js';
import { turn } from './stream-host.js';

const TEXTS = Array.from({ length: 200 }, (_, at) => `text ${at}`);
/** Of 16 kB in base64: a piece has ten, and a reply 3.2 MB. */
const VECTOR = Buffer.from(Float32Array.from({ length: 3_000 }, (_, at) => at).buffer).toString('base64');
const BODY = { model: 'vec/turn', input: TEXTS, encoding_format: 'base64' };
/** Of 700 tokens that no one has counted. */
const PRICE = { cost: 400_000n } as const;
const GONE = { status: 499, reason: 'client_closed_request', ...PRICE } as const;

const PROVIDER: Provider = {
  id: 'vec',
  name: 'vec',
  models: [],
  embed: {
    models: [
      {
        slug: 'vec/turn',
        name: 'Turn',
        description: 'Long vectors.',
        prices: [{ kind: 'flat', perMillionTokens: '1', source: 'test', asOf: '2026-11-27', confidence: 'high' }],
        features: [],
        dimensions: 3_000,
        contextLength: null,
        timeoutMs: 10_000,
      },
    ],
    maxInputs: 2_048,
    embed: ({ inputs }) =>
      Promise.resolve({ embeddings: inputs.map((_text, index) => ({ index, vector: VECTOR })), cost: {} }),
  },
};

/** A caller who reads when the test says so. */
class Reader implements BodyWriter, Delivery {
  text = '';
  pieces = 0;
  bufferedBytes = 0;
  isClosed = false;
  readonly isBehindOther = false;
  ending: 'ended' | 'destroyed' | undefined;
  readonly #reads: boolean;

  constructor({ reads }: { readonly reads: boolean }) {
    this.#reads = reads;
  }

  write(text: string): void {
    this.text += text;
    this.pieces += 1;
    if (!this.#reads) this.bufferedBytes += text.length;
  }

  end(): void {
    this.ending = 'ended';
  }

  destroy(): void {
    this.ending = 'destroyed';
    this.isClosed = true;
  }

  get writtenBytes(): number {
    return this.text.length;
  }

  get isOver(): boolean {
    return this.isClosed || (this.ending !== undefined && this.bufferedBytes === 0);
  }
}

/** A long reply on its way to a reader. */
async function replyTo(reader: Reader, options: Partial<GatewayOptions> = {}) {
  const scene = start([PROVIDER], { limit: null, ...options });
  const { gateway, clock, events } = scene;
  onTestFinished(() => gateway.close());
  async function ask(by: Reader) {
    let reply: ReplyListener | undefined;
    const follow = (given: ReplyListener) => void (reply = given);
    const response = await gateway.handle({ ...requestOf('embeddings', { body: BODY }), follow });
    bodyOf(response).pipeTo(by);
    reply?.watch(by);
  }
  await ask(reader);
  const finished = () => events.filter((event) => event.type === 'request_finished');
  /** Lets time pass in small steps, as long as the call lasts. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms && finished().length === 0; passed += 10) {
      await clock.advance(10);
      await turn();
    }
  }
  return { ...scene, ask, finished, pass };
}

function bodyOf(response: GatewayResponse | undefined): StreamedBody {
  expect(response?.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
  expect(response?.headers['content-length']).toBeUndefined();
  return response?.body as StreamedBody;
}

describe('a long reply', () => {
  it('is the reply in process, in pieces between which other work goes on', async () => {
    const reader = new Reader({ reads: true });
    const { gateway, finished, pass } = await replyTo(reader);
    let turns = 0;
    while (finished().length === 0) {
      await turn();
      turns += 1;
    }
    await pass(10);
    const reply = JSON.parse(reader.text) as { id: string };
    const inProcess = await gateway.embed({ apiKey: KEY, model: 'vec/turn', input: TEXTS, encodingFormat: 'base64' });
    expect(reply).toEqual({ ...inProcess, id: reply.id });
    expect([reader.ending, reader.pieces]).toEqual(['ended', TEXTS.length / 10 + 2]);
    expect(turns).toBeGreaterThanOrEqual(reader.pieces);
    expect(finished()[0]).toMatchObject({ status: 200, reason: null, ...PRICE });
  });

  it('waits for a slow caller, as long as the caller reads 8 kB in half a minute', async () => {
    const reader = new Reader({ reads: false });
    const { finished, pass } = await replyTo(reader);
    let waits = 0;
    for (; finished().length === 0; waits += 1) {
      await pass(29_000);
      const { pieces } = reader;
      // For the next piece there has to be room.
      reader.bufferedBytes -= 8_192;
      await pass(29_000);
      expect(reader.pieces).toBe(pieces);
      reader.bufferedBytes = 0;
      await pass(20);
    }
    expect(waits).toBeGreaterThan(5);
    expect(reader.ending).toBe('ended');
    expect(() => JSON.parse(reader.text) as unknown).not.toThrow();
  });

  it('is cut when the caller has read nothing for half a minute, and is charged', async () => {
    const reader = new Reader({ reads: false });
    const { ask, finished, pass, totals } = await replyTo(reader, { maxInFlight: 1 });
    await pass(29_900);
    expect([reader.ending, finished()]).toEqual([undefined, []]);
    expect(reader.bufferedBytes).toBeLessThan(262_144 + 10 * (VECTOR.length + 100));
    await pass(1_000);
    expect(reader.ending).toBe('destroyed');
    expect(finished()).toMatchObject([GONE]);
    expect(await totals()).toMatchObject({ usage: PRICE.cost, held: 0n });
    // The place of the call is free.
    await ask(new Reader({ reads: true }));
  });

  it('ends when the caller goes away', async () => {
    const reader = new Reader({ reads: false });
    const { finished, pass, totals } = await replyTo(reader);
    await pass(1_000);
    const { pieces } = reader;
    reader.isClosed = true;
    await pass(100);
    expect(finished()).toMatchObject([GONE]);
    expect([reader.pieces, reader.ending]).toEqual([pieces, undefined]);
    expect(await totals()).toMatchObject({ usage: PRICE.cost, held: 0n });
  });

  it('is read to its end while the gateway closes, within the time for that', async () => {
    const reader = new Reader({ reads: false });
    const { gateway, pass } = await replyTo(reader, { drainTimeoutMs: 1_000 });
    let isClosed = false;
    const closing = gateway.close().then(() => (isClosed = true));
    while (reader.ending === undefined) {
      await pass(50);
      reader.bufferedBytes = 0;
    }
    await closing;
    expect([reader.ending, isClosed]).toEqual(['ended', true]);
  });

  it('is cut when the gateway has closed', async () => {
    const reader = new Reader({ reads: false });
    const { gateway, finished, pass } = await replyTo(reader, { drainTimeoutMs: 1_000 });
    const closing = gateway.close();
    await pass(900);
    expect(reader.ending).toBeUndefined();
    await pass(1_000);
    await closing;
    expect(reader.ending).toBe('destroyed');
    expect(finished()).toMatchObject([GONE]);
  });

  it('over fetch ends with the caller who reads no further, whether that is told or not', async () => {
    for (const isTold of [true, false]) {
      const { gateway, clock, events } = start([PROVIDER], { limit: null });
      const { body } = await toFetchHandler(gateway)(
        new Request('http://gateway.test/api/v1/embeddings', {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify(BODY),
        }),
      );
      const reader = body!.getReader();
      await reader.read();
      if (isTold) await reader.cancel();
      const finished = () => events.find((event) => event.type === 'request_finished');
      for (let passed = 0; finished() === undefined && passed < (isTold ? 100 : 31_000); passed += 10) {
        await clock.advance(10);
        await turn();
      }
      expect(finished()).toMatchObject(GONE);
      await gateway.close();
    }
  });
});
