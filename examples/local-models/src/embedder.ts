import { Worker } from 'node:worker_threads';

/** The length of a vector. */
export const DIMENSIONS = 512;
/** The most characters of a text, in the form that the model reads (NFKC), where one character may become 18. The model was made for sentences. */
export const MAX_CHARS = 8_000;
/** The most texts that the model reads at a time. Then the next call has its turn; a call whose time is over goes no further. */
const BATCH = 8;

/** What the model makes of a text. */
interface Embedded {
  /** Of length 1, so the cosine of two vectors is the sum of their products. */
  readonly vector: Float32Array;
  /** As the model counts. */
  readonly tokens: number;
}

export interface Embedder {
  /**
   * Makes the vector of each text, in order.
   *
   * @throws RangeError for a text that {@link isTooLong}, and whatever ends the model.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Embedded[]>;
  /** Ends the model, and fails the calls that wait for it. A later call starts it anew. */
  close(): Promise<void>;
}

/** Whether a text has more than {@link MAX_CHARS} characters. */
function isTooLong(text: string): boolean {
  return text.length > MAX_CHARS || text.normalize('NFKC').length > MAX_CHARS;
}

/**
 * The Universal Sentence Encoder lite (English) in a worker thread. It starts with the first call, which takes a second and 150 MB of memory. While it has
 * nothing to do, the process may end.
 */
export function createEmbedder(): Embedder {
  let worker: Worker | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();
  let pending: { resolve(embedded: Embedded[]): void; reject(error: Error): void } | undefined;

  function start(): Worker {
    // Without the loaders of this process, which would take time and memory a second time.
    const started = new Worker(new URL('./embed-worker.mjs', import.meta.url), { execArgv: [] });
    // An error is followed by the exit, when the next call may already wait for another worker.
    const onEnd = (error: Error) => {
      if (worker !== started) return;
      worker = undefined;
      pending?.reject(error);
    };
    started.on('message', (embedded: Embedded[]) => pending?.resolve(embedded));
    started.on('error', onEnd);
    started.on('exit', () => onEnd(new Error('the model has ended')));
    return started;
  }

  async function embedBatch(texts: readonly string[]): Promise<Embedded[]> {
    worker ??= start();
    const asked = worker;
    asked.ref();
    try {
      return await new Promise((resolve, reject) => {
        pending = { resolve, reject };
        asked.postMessage(texts);
      });
    } finally {
      pending = undefined;
      asked.unref();
    }
  }

  function inTurn(texts: readonly string[], signal: AbortSignal | undefined): Promise<Embedded[]> {
    const turn = lastTurn.then(() => {
      signal?.throwIfAborted();
      return embedBatch(texts);
    });
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  return {
    async embed(texts, signal) {
      if (texts.some(isTooLong)) throw new RangeError(`a text has more than ${MAX_CHARS} characters`);
      const embedded: Embedded[] = [];
      for (let from = 0; from < texts.length; from += BATCH)
        embedded.push(...(await inTurn(texts.slice(from, from + BATCH), signal)));
      return embedded;
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** How close each of the texts is to the query: the cosine of their vectors, with the tokens of all texts. */
export async function scoresOf(
  { embed }: Pick<Embedder, 'embed'>,
  { query, texts }: { readonly query: string; readonly texts: readonly string[] },
  signal?: AbortSignal,
): Promise<{ scores: number[]; tokens: number }> {
  const [asked, ...embedded] = await embed([query, ...texts], signal);
  const scores = embedded.map(({ vector }) =>
    vector.reduce((sum, number, place) => sum + number * (asked?.vector[place] ?? 0), 0),
  );
  return { scores, tokens: [asked, ...embedded].reduce((sum, each) => sum + (each?.tokens ?? 0), 0) };
}

/** The numbers of a vector as base64 of little-endian floats of 32 bits. */
export function base64Of({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
