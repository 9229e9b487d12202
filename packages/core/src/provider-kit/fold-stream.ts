import { UpstreamError } from '../errors/upstream-error.js';
import { GatheredText } from '../pieces/gathered-text.js';
import type { Wanted } from '../upstream/upstream-client.js';
import type { LiveParts } from './live-parts.js';
import { type ErrorReply, readOwnError } from './own-error.js';
import { createEventReader, type ServerSentEvent } from './server-sent-events.js';
import { parseJsonObject } from './upstream-failure.js';

export type JsonObject = Record<string, unknown>;

/** Makes of a stream's events, each a JSON object, the reply that would have come without streaming. */
export interface StreamFold {
  push(event: JsonObject): void;
  /**
   * The whole reply; `undefined` when events are missing. Also asked where the connection has broken or the time is up, so that an answer which is all there
   * is not lost for want of a last event. An event that reports an error is the last one pushed: a fold that does not know it gives
   * `undefined` as for any stream that was cut, and the error is read from the event.
   *
   * @param ended whether `[DONE]` was the last word, or there was no stream: a reply in plain JSON is pushed as the one event.
   */
  end(ended: boolean): JsonObject | undefined;
}

/**
 * Begins the fold of one stream.
 *
 * @param live gets text and sources as they come, where they are wanted before the end.
 */
export type CreateFold<Live = LiveParts> = (live: Live | undefined) => StreamFold;

/** A fold that looks at the events only when all of them are there. */
export function foldAtEnd(fold: (events: readonly JsonObject[], ended: boolean) => JsonObject | undefined): CreateFold {
  return () => {
    const events: JsonObject[] = [];
    return { push: (event) => void events.push(event), end: (ended) => fold(events, ended) };
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
  /** Whether the fold would make a reply of what has come. */
  isWhole(): boolean;
  /**
   * The reply that the events fold to. A reply in plain JSON counts as a stream of one event, since providers report errors that way.
   *
   * @throws UpstreamError `upstream_invalid_response`: phase `parse` where something is no JSON object, `body` where events are missing.
   */
  end(): FoldedReply;
}

export interface FoldedReply {
  readonly json: JsonObject;
  /** Whether it is an error event that the fold made nothing of. */
  readonly isError: boolean;
}

export interface ReadStreamOptions {
  /** What the request carried and no error may show. */
  readonly secrets: readonly string[];
  /** Reads errors in the provider's own envelope, of which folds see nothing. */
  readonly errorReply?: ErrorReply | undefined;
}

/** Reads a stream's events into a fold as they arrive. */
export function readStream(fold: StreamFold, { secrets, errorReply }: ReadStreamOptions): StreamedReply {
  let count = 0;
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
    const isOwn = readOwnError(body, errorReply) !== undefined;
    const json = isOwn || event === undefined ? body : withError(event, body);
    if (!isOwn) fold.push(json);
    if (isOwn || hasError(json)) failed = { json, isOwn };
  }

  return {
    push(piece) {
      head?.add(piece);
      reader.push(piece);
      if (failed !== undefined) return false;
      return isLast ? 'ending' : true;
    },
    isWhole: () => head === null && failed === undefined && fold.end(ended) !== undefined,
    end() {
      if (head !== null) take(parseJsonObject({ status: OK, text: head.take() }, secrets));
      const json = failed?.isOwn ? undefined : fold.end(ended || head !== null);
      if (json !== undefined) return { json, isError: false };
      if (failed !== undefined) return { json: failed.json, isError: true };
      throw invalid('body', 'the stream ended before the answer did');
    },
  };
}

/** The last events of the dialects that do not end in `[DONE]`: Responses, Messages and Conversations. */
const LAST_TYPES: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'message_stop',
  'conversation.response.done',
]);

const ERROR_TYPE = /(?:^|\.)error$/;

/** Some dialects tell an error by a field `error`, some by the name or the type of the event alone: folds see the field. */
function withError(name: string, body: JsonObject): JsonObject {
  const isError = ERROR_TYPE.test(name) || ERROR_TYPE.test(String(body['type']));
  return isError && (body['error'] ?? null) === null ? { error: body } : body;
}

/** An error may also be that of the whole `response`, which then says what it cost. */
function hasError({ error, response }: JsonObject): boolean {
  const { error: failure, status } = (response ?? {}) as JsonObject;
  return (error ?? failure ?? null) !== null || status === 'failed';
}

/** Of every reply that is read as a stream: others are errors. */
const OK = 200;

function invalid(phase: 'body' | 'shape', detail: string): UpstreamError {
  return new UpstreamError('upstream_invalid_response', { phase, status: OK, detail });
}
