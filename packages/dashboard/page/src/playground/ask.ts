import {
  type AnswerEvent,
  type AnswerRequest,
  createClient,
  type ExtractBody,
  type ExtractRequest,
  type SearchBody,
  type SearchRequest,
} from '@searchgate/client';
import { errorOf } from '../api.js';

export interface AskTarget {
  /** The URL of the answer endpoint, relative to the page. The endpoints of searches and extracts are beside it. */
  readonly url: string;
  /** `null` for calls of the page's server, in the name of the host. */
  readonly apiKey: string | null;
}

/** A call of a model, by its category. */
export type Call =
  | { readonly category: 'answer'; readonly request: AnswerRequest }
  | { readonly category: 'search'; readonly request: SearchRequest }
  | { readonly category: 'extract'; readonly request: ExtractRequest };

/** The reply of a search or an extract. */
export type PagesBody = SearchBody | ExtractBody;

export type AskEvent = AnswerEvent | { readonly type: 'pages'; readonly body: PagesBody };

/**
 * Makes a call and yields the events of the answer, or the one reply of a search or an extract.
 *
 * @param onResponse called with the headers before the first event.
 * @throws SearchgateError, or ApiError for an error of the page's server.
 */
export async function* ask(
  target: AskTarget,
  call: Call & { readonly signal: AbortSignal },
  onResponse: (headers: Headers) => void,
): AsyncGenerator<AskEvent, void, undefined> {
  const { category, signal } = call;
  let refusal: Error | undefined;
  const client = createClient({
    baseUrl: new URL('.', location.href),
    ...(target.apiKey === null ? {} : { apiKey: target.apiKey }),
    // A person is watching: show an error at once.
    maxRetries: 0,
    async fetch(_url, init) {
      const response = await fetch(new URL(category, new URL(target.url, location.href)), init);
      onResponse(response.headers);
      if (!response.ok) refusal = await refusalOf(response);
      return response;
    },
  });
  try {
    if (call.category === 'answer') yield* client.answerStream({ ...call.request, signal });
    else if (call.category === 'search')
      yield { type: 'pages', body: await client.search({ ...call.request, signal }) };
    else yield { type: 'pages', body: await client.extract({ ...call.request, signal }) };
  } catch (error) {
    throw refusal ?? error;
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
