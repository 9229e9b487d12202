import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { openUpstream } from '../src/provider-kit/open-upstream.js';
import type { AnswerOutcome, CallContext, LiveAnswer, Provider } from '../src/provider-kit/provider.js';
import type { Citation } from '../src/text/citation.js';
import type { UpstreamRequest } from '../src/upstream/upstream-client.js';
import { serve } from './every-model/serve.js';

/** The result of one streamed attempt. */
export interface LiveRun {
  /** Replays everything handed over to another receiver, in order. */
  readonly replay: (live: LiveAnswer) => void;
  /** The parts as handed over; joined they are {@link text}. */
  readonly parts: readonly string[];
  readonly text: string;
  /** The lists of citations handed over, in order. */
  readonly citationLists: readonly (readonly Citation[])[];
  /** The last list. */
  readonly citations: readonly Citation[];
  /** The answer; `undefined` with an {@link error}. */
  readonly outcome?: AnswerOutcome;
  readonly error?: unknown;
}

/** A request as the upstream saw it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export interface LivePartsOptions {
  /** Builds the provider with this base URL. */
  readonly create: (baseUrl: string) => Provider;
  readonly model: string;
  /** The upstream's writes, as text or bytes, which may end inside a character. */
  readonly chunks: Iterable<string | Uint8Array>;
  readonly query?: string;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Streams one answer from a loopback upstream that sends these chunks. */
export async function livePartsOf(options: LivePartsOptions): Promise<LiveRun & { readonly requests: SeenRequest[] }> {
  const requests: SeenRequest[] = [];
  const upstream = await serve((req, res) => {
    const received: Buffer[] = [];
    req
      .on('data', (chunk: Buffer) => void received.push(chunk))
      .once('end', () => {
        const body = JSON.parse(Buffer.concat(received).toString()) as SeenRequest['body'];
        requests.push({ path: req.url ?? '', headers: req.headers, body });
        void sendChunks(res, options);
      });
  });
  const connections = openUpstream();
  const attempt = connections.begin(30_000);
  try {
    return { ...(await runLive(options.create(upstream.url), options, attempt)), requests };
  } finally {
    attempt.end();
    await connections.close();
    await upstream.close();
  }
}

export interface LivePartsInOptions extends Omit<LivePartsOptions, 'create'> {
  /** `false` gives the adapter the whole reply at its end, as for an adapter without streaming. */
  readonly isTold?: boolean;
}

/** The same without a network, for tests of thousands of cuts. */
export async function livePartsIn(provider: Provider, options: LivePartsInOptions): Promise<LiveRun> {
  const { chunks, status = 200, headers = {}, isTold = true } = options;
  const upstream = {
    async send({ onText }: UpstreamRequest) {
      const decoder = new StringDecoder('utf8');
      let text = '';
      const reply = () => ({ status, header: (name: string) => headers[name], text });
      const take = (piece: string) => {
        if (onText !== undefined && status < 300 && isTold) return piece === '' || onText(piece);
        text += piece;
        return true;
      };
      for (const chunk of chunks) if (!take(decoder.write(Buffer.from(chunk)))) return reply();
      take(decoder.end());
      return reply();
    },
  };
  return runLive(provider, options, { upstream, signal: new AbortController().signal });
}

async function runLive(
  provider: Provider,
  { model: slug, query = 'Is it open?' }: Pick<LivePartsOptions, 'model' | 'query'>,
  context: CallContext,
): Promise<LiveRun> {
  const { adapter, model } = streamingModel(provider, slug);
  const parts: string[] = [];
  const citationLists: (readonly Citation[])[] = [];
  const steps: ((other: LiveAnswer) => void)[] = [];
  const live: LiveAnswer = {
    citations(citations) {
      citationLists.push(citations);
      steps.push((other) => other.citations(citations));
    },
    text(part, markers) {
      parts.push(part);
      steps.push((other) => other.text(part, markers));
    },
  };
  const replay = (other: LiveAnswer) => {
    for (const step of steps) step(other);
  };
  const come = () => ({ parts, text: parts.join(''), citationLists, citations: citationLists.at(-1) ?? [], replay });
  try {
    const outcome = await adapter({ model, query }, context, live);
    return { ...come(), outcome };
  } catch (error) {
    return { ...come(), error };
  }
}

function streamingModel({ id, models, answer }: Provider, slug: string) {
  const model = models.find((candidate) => candidate.slug === slug);
  if (model === undefined || answer?.stream === undefined) throw new Error(`${id} does not stream ${slug}`);
  return { model, adapter: answer.stream.bind(answer) };
}

/** Waits a turn between chunks, so that each mostly arrives alone. */
async function sendChunks(res: ServerResponse, { chunks, status = 200, headers = {} }: LivePartsOptions) {
  res.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
  for (const chunk of chunks) {
    await new Promise((resolve) => void res.write(chunk, resolve));
    await new Promise((resolve) => void setImmediate(resolve));
  }
  res.end();
}
