import { type AnswerEvent, type AnswerRequest, createClient } from '@searchgate/client';
import { errorOf } from '../api.js';

export interface AskTarget {
  /** Of the answer endpoint, relative to the page. */
  readonly url: string;
  /** `null` where the page's server asks in the name of the host. */
  readonly apiKey: string | null;
}

/**
 * Asks, and gives the events of the answer.
 *
 * @param onResponse gets the headers before the first event.
 * @throws SearchgateError, or ApiError of the page's own server
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
    // A person is watching: what fails is shown at once.
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

/** The error of the page's own server; `undefined` for one of the gateway, which the client reads. */
async function refusalOf(response: Response): Promise<Error | undefined> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { error?: { reason?: unknown } } | null;
  return typeof body?.error?.reason === 'string' ? undefined : errorOf(response.status, body);
}
