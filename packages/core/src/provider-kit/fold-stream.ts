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
/** A chunk of an answer takes some 200 bytes, so that the 8 MiB read of a reply (`maxUpstreamBytes`) hold about 42,000 of them. */
const MAX_EVENTS = 50_000;

/**
 * The reply that a stream of events folds to. A reply in plain JSON counts as a stream of one event, since providers report errors
 * that way; an event of the type `error` is an object with that field.
 *
 * @throws UpstreamError `upstream_invalid_response`: phase `parse` where something is no JSON object, `body` where events are
 * missing, `shape` for more than {@link MAX_EVENTS} events.
 */
export function foldStream(response: UpstreamResponse, fold: FoldEvents, secrets: readonly string[]): UpstreamResponse {
  const events = parseServerSentEvents(response.text, MAX_EVENTS + 1);
  if (events.length > MAX_EVENTS) throw invalid(response, 'shape', 'the stream has too many events');
  const folded =
    events.length === 0
      ? fold([parseJsonObject(response, secrets)], true)
      : fold(
          events
            .filter(({ data }) => data !== DONE)
            .map(({ event, data }) => {
              const body = parseJsonObject({ status: response.status, text: data }, secrets);
              return event === 'error' && body['error'] === undefined ? { error: body } : body;
            }),
          events.at(-1)?.data === DONE,
        );
  if (folded !== undefined) return { ...response, text: JSON.stringify(folded) };
  throw invalid(response, 'body', 'the stream ended before the answer did');
}

function invalid({ status }: UpstreamResponse, phase: 'body' | 'shape', detail: string): UpstreamError {
  return new UpstreamError('upstream_invalid_response', { phase, status, detail });
}
