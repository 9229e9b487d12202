import { type AnswerEvent, type AnswerRequest, createClient } from '@searchgate/client';
import { errorOf } from '../api.js';

export interface AskTarget {
  /** The URL of the answer endpoint, relative to the page. */
  readonly url: string;
  /** `null` for questions of the page's server, in the name of the host. */
  readonly apiKey: string | null;
}

/**
 * Asks a question and yields the events of the answer.
 *
 * @param onResponse called with the headers before the first event.
 * @throws SearchgateError, or ApiError for an error of the page's server.
 */
export async function* ask(
  target: AskTarget,
  request: AnswerRequest,
  onResponse: (headers: Headers) => void,
): AsyncGenerator<AnswerEvent, void, undefined> {
  let refusal: Error | undefined;
  const client = createClient({
    baseUrl: new URL('.', location.href),
    ...(target.apiKey === null ? {} : { apiKey: target.apiKey }),
    // A person is watching: show an error at once.
    maxRetries: 0,
    async fetch(_url, init) {
      const response = await fetch(target.url, init);
      onResponse(response.headers);
      if (!response.ok) refusal = await refusalOf(response);
      return response;
    },
  });
  try {
    yield* client.answerStream(request);
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
