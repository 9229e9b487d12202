import {
  type AnswerEvent,
  type AnswerRequest,
  type Client,
  createClient,
  type EmbedReply,
  type EmbedRequest,
  type ExtractReply,
  type ExtractRequest,
  type RerankReply,
  type RerankRequest,
  type SearchReply,
  type SearchRequest,
} from '@searchgate/client';
import { errorOf } from '../api.js';

export interface AskTarget {
  /** The URL of the answer endpoint, relative to the page. The endpoints of other calls are beside it. */
  readonly url: string;
  /** `null` for calls of the page's server, in the name of the host. */
  readonly apiKey: string | null;
}

/** A call of a model, by its category. */
export type Call =
  | { readonly category: 'answer'; readonly request: AnswerRequest }
  | { readonly category: 'search'; readonly request: SearchRequest }
  | { readonly category: 'extract'; readonly request: ExtractRequest }
  | { readonly category: 'rerank'; readonly request: RerankRequest }
  | { readonly category: 'embedding'; readonly request: EmbedRequest };

/** The reply to a search, an extract, a rerank or an embedding. */
export type Reply =
  | { readonly category: 'search'; readonly body: SearchReply }
  | { readonly category: 'extract'; readonly body: ExtractReply }
  | { readonly category: 'rerank'; readonly body: RerankReply }
  | { readonly category: 'embedding'; readonly body: EmbedReply };

export type AskEvent = AnswerEvent | { readonly type: 'reply'; readonly reply: Reply };

/**
 * Makes a call and yields the events of the answer, or the one reply to another call.
 *
 * @param onResponse called with the headers before the first event.
 * @throws SearchgateError, or ApiError for an error of the page's server.
 */
export async function* ask(
  target: AskTarget,
  call: Call & { readonly signal: AbortSignal },
  onResponse: (headers: Headers) => void,
): AsyncGenerator<AskEvent, void, undefined> {
  const { signal } = call;
  let refusal: Error | undefined;
  const client = createClient({
    baseUrl: new URL('.', location.href),
    ...(target.apiKey === null ? {} : { apiKey: target.apiKey }),
    // A person is watching: show an error at once.
    maxRetries: 0,
    async fetch(url, init) {
      const path = url.slice(url.lastIndexOf('/') + 1);
      const response = await fetch(new URL(path, new URL(target.url, location.href)), init);
      onResponse(response.headers);
      if (!response.ok) refusal = await refusalOf(response);
      return response;
    },
  });
  try {
    if (call.category === 'answer') yield* client.answerStream({ ...call.request, signal });
    else yield { type: 'reply', reply: await replyTo(client, call) };
  } catch (error) {
    throw refusal ?? error;
  }
}

type CallForReply = Exclude<Call, { category: 'answer' }> & { readonly signal: AbortSignal };

async function replyTo(client: Client, { signal, ...call }: CallForReply): Promise<Reply> {
  const { category } = call;
  switch (category) {
    case 'search':
      return { category, body: await client.search({ ...call.request, signal }) };
    case 'extract':
      return { category, body: await client.extract({ ...call.request, signal }) };
    case 'rerank':
      return { category, body: await client.rerank({ ...call.request, signal }) };
    case 'embedding':
      return { category, body: await client.embed({ ...call.request, signal }) };
  }
}

/** The error of the page's server; `undefined` for an error of the gateway, which the client reads. */
async function refusalOf(response: Response): Promise<Error | undefined> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { error?: { reason?: unknown } } | null;
  return typeof body?.error?.reason === 'string' ? undefined : errorOf(response.status, body);
}
