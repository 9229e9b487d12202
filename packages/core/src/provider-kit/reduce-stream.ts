import { UpstreamError } from '../base/errors/upstream-error.js';
import { GatheredText } from '../base/gathered-text.js';
import type { Wanted } from '../upstream/upstream-client.js';
import type { StreamEnd } from './evidence.js';
import { type JsonObject, objectOf } from './json-values.js';
import type { LiveParts } from './live-parts.js';
import { type ErrorReply, readOwnError } from './own-error.js';
import { reportedError, saysError } from './reported-error.js';
import { createEventReader, type ServerSentEvent } from './server-sent-events.js';
import { parseJsonObject } from './upstream-failure.js';

export type { JsonObject };

/** Makes of a stream's events, each a JSON object, the reply that would have come without streaming. */
export interface StreamReducer {
  push(event: JsonObject): void;
  /**
   * Whether the positive evidence has come that the reply is whole: the vendor's last event, or a finish reason on the last content. Everything before it is a
   * cut, also behind `[DONE]`. Where a vendor has no last event, only `end` other than `cut` proves it. An event that reports an error is the
   * last one pushed: it is whole where the reducer knows it, else the error is read from the event.
   */
  isWhole(end: StreamEnd): boolean;
  /** The reply of the events that came. Called once, only where the reply is whole, and for a reply in plain JSON, which is pushed as the one event. */
  end(): JsonObject;
}

/**
 * Makes the reducer of one stream.
 *
 * @param live gets text and sources as they come, where they are wanted before the end.
 */
export type CreateReducer<Live = LiveParts> = (live: Live | undefined) => StreamReducer;

/** A reducer that looks at the events only when all of them are there: see {@link StreamReducer} for what both functions do. */
export function reduceAtEnd(
  isWhole: (events: readonly JsonObject[], end: StreamEnd) => boolean,
  reduce: (events: readonly JsonObject[]) => JsonObject,
): CreateReducer {
  return () => {
    const events: JsonObject[] = [];
    return {
      push: (event) => void events.push(event),
      isWhole: (end) => isWhole(events, end),
      end: () => reduce(events),
    };
  };
}

const DONE = '[DONE]';
/** A chunk of an answer takes some 200 bytes, so that the 8 MiB read of a reply (`maxUpstreamBytes`) hold about 42,000 of them. */
const MAX_EVENTS = 50_000;

/** A streamed reply while it is read. */
export interface StreamedReply {
  /**
   * @returns `false` once the provider has reported an error: what comes behind it is not read. `'ending'` behind the provider's last word.
   * @throws UpstreamError `upstream_invalid_response` for an event that is no JSON object, and for more than {@link MAX_EVENTS} of them.
   */
  push(piece: string): Wanted;
  /** Whether what has come is the whole reply, though the connection broke or the time is up. */
  isWhole(): boolean;
  /**
   * The reply that the events reduce to. A reply in plain JSON counts as a stream of one event, since providers report errors that way.
   *
   * @throws UpstreamError `upstream_invalid_response`: phase `parse` where something is no JSON object, `body` where events are missing.
   */
  end(): ReducedReply;
}

export interface ReducedReply {
  readonly json: JsonObject;
  /** Of the text that it was read from. */
  readonly length: number;
  /** Whether the reply is an error event that the reducer does not know. */
  readonly isError: boolean;
}

export interface ReadStreamOptions {
  /** What the request carried and no error may show. */
  readonly secrets: readonly string[];
  /** Reads errors in the provider's own envelope, which reducers do not see. */
  readonly errorReply?: ErrorReply | undefined;
}

/** Reads a stream's events into a reducer as they arrive. */
export function readStream(reducer: StreamReducer, { secrets, errorReply }: ReadStreamOptions): StreamedReply {
  let count = 0;
  let length = 0;
  let ended = false;
  let isLast = false;
  let failed: { readonly json: JsonObject; readonly isOwn: boolean } | undefined;
  /** What came before the first event: a reply that is no stream is all in here. */
  let head: GatheredText | null = new GatheredText();
  const reader = createEventReader(({ event, data }: ServerSentEvent) => {
    if (failed !== undefined) return;
    head = null;
    count += 1;
    if (count > MAX_EVENTS) throw invalid('shape', 'the stream has too many events');
    // Says no more than that the connection lives.
    if (data === '' && !ERROR_TYPE.test(event)) return;
    ended = data === DONE;
    isLast = ended;
    if (ended) return;
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
    push(piece) {
      length += piece.length;
      head?.add(piece);
      reader.push(piece);
      if (failed !== undefined) return false;
      return isLast ? 'ending' : true;
    },
    isWhole: () => head === null && failed === undefined && reducer.isWhole(ended ? 'done' : 'cut'),
    end() {
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

/** Some dialects tell an error by a field `error`, some by the name or the type of the event alone: reducers see the field. */
function withError(name: string, body: JsonObject): JsonObject {
  const isError = ERROR_TYPE.test(name) || ERROR_TYPE.test(String(body['type']));
  if (!isError || saysError(body['error'])) return body;
  return { error: saysError(body) ? body : { type: 'error' } };
}

/** An error may also be that of the whole `response`, which then says what it cost. */
function hasError(body: JsonObject): boolean {
  const { type, response } = body;
  if (type === 'response.failed' || reportedError(body) !== undefined) return true;
  if (response === undefined) return false;
  const { error, status } = objectOf(response);
  return status === 'failed' || saysError(error);
}

/** Of every reply that is read as a stream: others are errors. */
const OK = 200;

function invalid(phase: 'body' | 'shape', detail: string): UpstreamError {
  return new UpstreamError('upstream_invalid_response', { phase, status: OK, detail });
}
