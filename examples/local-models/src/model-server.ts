import { createServer, type IncomingMessage, type Server } from 'node:http';
import { z } from 'zod';
import { base64Of, type Embedder, scoresOf } from './embedder.js';

const MAX_BODY_BYTES = 2 * 1024 * 1024;
const text = z.string().min(1);
const format = z.enum(['float', 'base64']);
const embeddingsRequest = z.object({
  input: z.union([text.transform((one) => [one]), z.array(text).min(1).max(32)]),
  encoding_format: format.optional(),
});
const rerankRequest = z.union([
  z.object({ query: text, documents: z.array(text).min(1).max(100), top_n: z.int().min(1).optional() }),
  z.object({ query: text, texts: z.array(text).min(1).max(100) }),
]);

type Route = (body: unknown) => Promise<unknown>;

/** The settings of {@link createModelServer}. */
export interface ModelServerOptions {
  readonly embedder: Pick<Embedder, 'embed'>;
  /** The form of vectors in a reply to a request without `encoding_format`. Default `float`. */
  readonly encodingFormat?: z.output<typeof format> | undefined;
}

/**
 * A server of the local model: `POST /v1/embeddings` in the form of OpenAI's API, and `POST /v1/rerank` or `/rerank` in that of Cohere's, or, with `texts` in
 * place of `documents`, of Text Embeddings Inference. A wrong request gets 422. It asks for no key: let it listen on loopback only.
 */
export function createModelServer({ embedder, encodingFormat = 'float' }: ModelServerOptions): Server {
  const embeddings: Route = async (body) => {
    const { input, encoding_format = encodingFormat } = embeddingsRequest.parse(body);
    const embedded = await embedder.embed(input);
    const tokens = embedded.reduce((sum, each) => sum + each.tokens, 0);
    return {
      object: 'list',
      model: 'universal-sentence-encoder-lite',
      data: embedded.map(({ vector }, index) => ({
        object: 'embedding',
        index,
        embedding: encoding_format === 'base64' ? base64Of(vector) : [...vector],
      })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
  };
  const rerank: Route = async (body) => {
    const asked = rerankRequest.parse(body);
    const isTei = 'texts' in asked;
    const { scores } = await scoresOf(embedder, { query: asked.query, texts: isTei ? asked.texts : asked.documents });
    const ranks = scores.map((score, index) => ({ index, score })).sort((a, b) => b.score - a.score);
    if (isTei) return ranks;
    const results = ranks.map(({ index, score }) => ({ index, relevance_score: score })).slice(0, asked.top_n);
    return { results, meta: { billed_units: { search_units: 1 } } };
  };
  const routes: Readonly<Record<string, Route>> = {
    '/v1/embeddings': embeddings,
    '/v1/rerank': rerank,
    '/rerank': rerank,
  };
  return createServer((request, response) => {
    void replyTo(request, routes).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
}

async function replyTo(request: IncomingMessage, routes: Readonly<Record<string, Route>>) {
  const failed = (status: number, error: unknown, type: string) => ({
    status,
    body: { error: error instanceof Error ? error.message : error, error_type: type },
  });
  try {
    const route = request.method === 'POST' ? routes[request.url ?? ''] : undefined;
    if (route === undefined) return failed(404, `POST one of ${Object.keys(routes).join(', ')}`, 'NotFound');
    return { status: 200, body: await route(await readJson(request)) };
  } catch (error) {
    const isWrong = error instanceof z.ZodError || error instanceof RangeError || error instanceof SyntaxError;
    return isWrong ? failed(422, error, 'Validation') : failed(424, error, 'Backend');
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new RangeError(`the body has more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}
