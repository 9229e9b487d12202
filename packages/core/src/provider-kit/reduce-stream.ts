import { UpstreamError } from '../base/errors/upstream-error.js';
import { GatheredText } from '../base/gathered-pieces.js';
import { countJson, SHORT_REPLY } from '../base/json-counts.js';
import type { Wanted } from '../upstream/upstream-client.js';
import { type ErrorReply, readOwnError } from './classify.js';
import type { StreamEnd } from './completeness.js';
import type { LiveParts } from './live-parts.js';
import { type JsonObject, objectOf } from './reply-fields.js';
import { createEventReader, type ServerSentEvent } from './server-sent-events.js';
import { parseJsonObject, reportedError, saysError } from './upstream-failure.js';

export type { JsonObject };

/** Reduces a stream's events, each a JSON object, to the reply that would have come without streaming. */
export interface StreamReducer {
  /** Adds the next event. */
  push(event: JsonObject): void;
  /**
   * Whether there is positive evidence that the reply is whole: the vendor's last event, or a finish reason on the last content. A stream without evidence is
   * cut, even after `[DONE]`. For a vendor without a last event, only an `end` other than `cut` is evidence. An event that reports an error is the
   * last event pushed: return true if the reducer can read the error, else the error is read from the event.
   */
  isWhole(end: StreamEnd): boolean;
  /** The reply of the pushed events. Called once, when the reply is whole, or after a reply in plain JSON, which is pushed as the only event. */
  end(): JsonObject;
}

/**
 * Makes the reducer of one stream.
 *
 * @param live receives text and sources while they arrive; `undefined` when the caller does not want a stream.
 */
export type CreateReducer<Live = LiveParts> = (live: Live | undefined) => StreamReducer;

const DONE = '[DONE]';
/** A chunk has about 200 bytes, so the 8 MiB that are read of a reply (`maxUpstreamBytes`) contain about 42,000 chunks. */
const MAX_EVENTS = 50_000;
/** Most keys, other strings, lists and objects of all events. A chunk has about 25 of these. */
const MAX_STREAMED_PARTS = 1_000_000;

export interface ReducedReply {
  readonly json: JsonObject;
  /** The length of the reply's text. */
  readonly length: number;
  /** Whether the reply is an error event that the reducer cannot read. */
  readonly isError: boolean;
}

export interface ReadStreamOptions {
  /** Keys that the request contains and no error may show. */
  readonly secrets: readonly string[];
  /** Reads errors in the provider's own envelope, which reducers do not see. @default only the common envelopes are read */
  readonly errorReply?: ErrorReply | undefined;
}

/** Reads a stream's events into a reducer as they arrive: a streamed reply that is being read. */
export function readStream(reducer: StreamReducer, { secrets, errorReply }: ReadStreamOptions) {
  let count = 0;
  let length = 0;
  let parts = 0;
  let ended = false;
  let isLast = false;
  let failed: { readonly json: JsonObject; readonly isOwn: boolean } | undefined;
  /** The text before the first event; the whole text of a reply that is no stream. */
  let head: GatheredText | null = new GatheredText();
  const reader = createEventReader(({ event, data }: ServerSentEvent) => {
    if (failed !== undefined) return;
    head = null;
    count += 1;
    if (count > MAX_EVENTS) throw invalid('shape', 'the stream has too many events');
    // A keep-alive event.
    if (data === '' && !ERROR_TYPE.test(event)) return;
    ended = data === DONE;
    isLast = ended;
    if (ended) return;
    // Most streams are short, and need no counting.
    if (length > SHORT_REPLY) parts += countJson(data).parts;
    if (parts > MAX_STREAMED_PARTS) throw invalid('shape', 'the stream has too many values');
    const body = parseJsonObject({ status: OK, text: data }, secrets);
    take(body, event);
    isLast = LAST_TYPES.has(body['type']);
  });

  function take(body: JsonObject, event?: string): void {
    const isOwn = errorReply !== undefined && readOwnError(body, errorReply) !== undefined;
    const json = isOwn || event === undefined ? body : withError(event, body);
    if (!isOwn) reducer.push(json);
    if (isOwn || hasError(json)) failed = { json, isOwn };
  }

  return {
    /**
     * @returns `false` once the provider has reported an error: the rest is not read. `'ending'` after the provider's last event.
     * @throws UpstreamError `upstream_invalid_response` for an event that is no JSON object, and for more than
     * {@link MAX_EVENTS} events or {@link MAX_STREAMED_PARTS}.
     */
    push(piece: string): Wanted {
      length += piece.length;
      head?.add(piece);
      reader.push(piece);
      if (failed !== undefined) return false;
      return isLast ? 'ending' : true;
    },
    /** Whether the events so far are the whole reply, even if the connection broke or the time is up. */
    isWhole: () => head === null && failed === undefined && reducer.isWhole(ended ? 'done' : 'cut'),
    /**
     * The reply that the events reduce to. A reply in plain JSON counts as a stream of one event, because providers report errors that way.
     *
     * @throws UpstreamError `upstream_invalid_response`: phase `parse` for an event or a reply that is no JSON object, `body` for missing events.
     */
    end(): ReducedReply {
      if (head !== null) take(parseJsonObject({ status: OK, text: head.take() }, secrets));
      if (failed !== undefined) {
        const isKnown = !failed.isOwn && reducer.isWhole('cut');
        return isKnown ? { json: reducer.end(), length, isError: false } : { json: failed.json, length, isError: true };
      }
      if (head !== null || reducer.isWhole(ended ? 'done' : 'closed'))
        return { json: reducer.end(), length, isError: false };
      throw invalid('body', 'the stream ended before the answer did');
    },
  };
}

/** The last events of the dialects that do not end in `[DONE]`: Responses, Messages and Conversations. */
const LAST_TYPES: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.cancelled',
  'message_stop',
  'conversation.response.done',
]);

const ERROR_TYPE = /(?:^|\.)error$/;

/** Some dialects report an error in a field `error`, some only by the name or the type of the event. Reducers always see the field. */
function withError(name: string, body: JsonObject): JsonObject {
  const isError = ERROR_TYPE.test(name) || ERROR_TYPE.test(String(body['type']));
  if (!isError || saysError(body['error'])) return body;
  return { error: saysError(body) ? body : { type: 'error' } };
}

/** The error may also be in the `response`, which then reports its cost. */
function hasError(body: JsonObject): boolean {
  const { type, response } = body;
  if (type === 'response.failed' || reportedError(body) !== undefined) return true;
  if (response === undefined) return false;
  const { error, status } = objectOf(response);
  return status === 'failed' || saysError(error);
}

/** The status of every reply that is read as a stream. */
const OK = 200;

function invalid(phase: 'body' | 'shape', detail: string): UpstreamError {
  return new UpstreamError('upstream_invalid_response', { phase, status: OK, detail });
}
