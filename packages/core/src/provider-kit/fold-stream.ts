import { UpstreamError } from '../errors/upstream-error.js';
import type { UpstreamResponse } from '../upstream/upstream-client.js';
import { parseServerSentEvents } from './server-sent-events.js';
import { parseJsonObject } from './upstream-failure.js';

/**
 * Makes of a stream's events, each a JSON object, the reply that would have come without streaming; `undefined` when events are
 * missing.
 *
 * @param ended whether `[DONE]` was the last word, or there was no stream at all.
 */
export type FoldEvents = (events: readonly JsonObject[], ended: boolean) => JsonObject | undefined;

type JsonObject = Record<string, unknown>;

const DONE = '[DONE]';

/**
 * The reply that a stream of events folds to. A reply in plain JSON counts as a stream of one event, since providers tell of errors
 * that way; an event of the type `error` is an object with that field.
 *
 * @throws UpstreamError `upstream_invalid_response`: phase `parse` where something is no JSON object, `body` where events are
 * missing.
 */
export function foldStream(response: UpstreamResponse, fold: FoldEvents, secrets: readonly string[]): UpstreamResponse {
  const events = parseServerSentEvents(response.text);
  const folded =
    events.length === 0
      ? fold([parseJsonObject(response, secrets)], true)
      : fold(
          events
            .filter(({ data }) => data !== DONE)
            .map(({ event, data }) => {
              const body = parseJsonObject({ ...response, text: data }, secrets);
              return event === 'error' && body['error'] === undefined ? { error: body } : body;
            }),
          events.at(-1)?.data === DONE,
        );
  if (folded !== undefined) return { ...response, text: JSON.stringify(folded) };
  const detail = 'the stream ended before the answer did';
  throw new UpstreamError('upstream_invalid_response', { phase: 'body', status: response.status, detail });
}
