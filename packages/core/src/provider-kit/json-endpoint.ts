import { z } from 'zod';
import type { UpstreamReason } from '../base/errors/reasons.js';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { MAX_REPLY_DEPTH } from '../base/json-counts.js';
import type { MeteredUsage } from '../base/metered-usage.js';
import type { NanoUsd } from '../base/money.js';
import { MAX_ANNOTATIONS } from '../text/reply-limits.js';
import { redact } from '../upstream/redact.js';
import type { UpstreamResponse } from '../upstream/upstream-client.js';
import type { ErrorTable } from './classify.js';
import type { Completeness, FinishReason } from './completeness.js';
import type { LiveParts } from './live-parts.js';
import { type ErrorReply, readOwnError } from './own-error.js';
import type { CallContext } from './provider.js';
import { type ApiKeySource, type Connection, isApiKey } from './provider-settings.js';
import { type CreateReducer, type ReducedReply, readStream } from './reduce-stream.js';
import { reportsFailure } from './reported-error.js';
import { parseJsonObject, readProviderError, upstreamFailure } from './upstream-failure.js';

/** @typeParam Live receives the parts that `reduce` reads while the stream arrives. */
export interface JsonEndpointOptions<S extends z.ZodType, Live = LiveParts> {
  /** Appended to the base URL; begins with a slash. */
  readonly path: string;
  /** Puts the key into headers: {@link bearer} or {@link keyHeader}. */
  readonly authorize: (apiKey: string) => Readonly<Record<string, string>>;
  /** The provider's differences from the common meaning of statuses. */
  readonly errors: ErrorTable;
  /**
   * The schema of an error reply that has none of the common envelopes: it parses the reply to `{ code, message }`. The schema is tried first,
   * on replies of any status and on events of a stream; a reply or event that fits is a failure.
   *
   * @default only the common envelopes are read
   */
  readonly errorReply?: ErrorReply | undefined;
  /** The schema of a successful reply, with the fields that are used. */
  readonly reply: S;
  /** The proof that a reply, or the reply that a stream was reduced to, is whole. Its result is {@link JsonReply.finish}. */
  readonly completeness: Completeness<z.output<S>>;
  /** Reduces a stream of events to one reply. @default replies are no streams */
  readonly reduce?: CreateReducer<Live> | undefined;
  /**
   * The body's field that asks for a stream, used with `reduce`. It is `true` for calls with `live`, which get a stream, and `false` for all others.
   *
   * @default no field; then, with `reduce`, every reply is a stream
   */
  readonly streamField?: string | undefined;
}

/** What all endpoints of a vendor share. */
export type VendorApi = Pick<JsonEndpointOptions<z.ZodType>, 'authorize' | 'errors'>;

/** A successful reply in the expected shape. */
export interface JsonReply<T> {
  /** As the schema `reply` parses it. */
  readonly body: T;
  /** How the reply ended, by the evidence. For `assertComplete`. */
  readonly finish: FinishReason;
  /** A header of the reply, by lower-case name. */
  header(name: string): string | undefined;
  /**
   * Makes the error for a reply that turns out to be no usable answer. By default the error has the provider's own words, and the reason that the error
   * table gives for a success: `upstream_invalid_response` unless a row fits.
   */
  failure(options?: ReplyFailure): UpstreamError;
}

/** What is known of a reply that is of no use. */
export interface ReplyFailure {
  /** Replaces the reason of the error table. */
  readonly reason?: UpstreamReason | undefined;
  /** The cost that the provider reports for the failed call. */
  readonly cost?: NanoUsd | undefined;
  /** The usage that the provider reports for the failed call. */
  readonly usage?: MeteredUsage | undefined;
  /** Replaces the provider's words. */
  readonly detail?: string | undefined;
}

/**
 * Builds a function for one JSON endpoint of a provider: it takes a body and returns a checked reply. It makes one request and never retries. If
 * the reply is a stream, `live` receives the parts that `reduce` reads while the stream arrives.
 */
export function jsonEndpoint<S extends z.ZodType, Live = LiveParts>(
  connection: Connection,
  options: JsonEndpointOptions<S, Live>,
) {
  const url = new URL(connection.baseUrl + options.path);
  const { reduce, streamField } = options;
  const wholeHeaders = headersOf(connection, options.authorize, {});
  const streamHeaders = headersOf(connection, options.authorize, { accept: 'text/event-stream' });
  // Compiled for the first call, so that an unused provider does not slow the start of the gateway.
  let compiled: JsonEndpointOptions<S, Live> | undefined;

  /** @throws UpstreamError for everything but a 2xx JSON object of the expected shape. */
  return async (body: object, { upstream }: CallContext, live?: Live): Promise<JsonReply<z.output<S>>> => {
    const apiKey = typeof connection.apiKey === 'string' ? connection.apiKey : await currentKey(connection.apiKey);
    compiled ??= { ...options, reply: z.compile(options.reply) };
    const isStream = reduce !== undefined && (streamField === undefined || live !== undefined);
    // The field comes first: after the spread, building the object would take five times as long.
    const json = streamField === undefined ? body : { [streamField]: isStream, ...body };
    if (!isStream)
      return readJsonReply(
        await upstream.send({ method: 'POST', url, json, headers: wholeHeaders(apiKey) }),
        compiled,
        [apiKey],
      );
    const secrets = [apiKey];
    const stream = readStream(reduce(live), { secrets, errorReply: options.errorReply });
    const reading = { onText: stream.push, isWhole: stream.isWhole };
    const sent = await upstream.send({ method: 'POST', url, json, headers: streamHeaders(apiKey), ...reading });
    if (!isSuccess(sent)) throw failureOf(sent, options, secrets);
    // The client of a test may give the whole text at the end.
    stream.push(sent.text);
    return checkReply({ sent: { ...sent, text: '' }, ...stream.end() }, compiled, secrets);
  };
}

/** The headers of every request. Built only once for a fixed key, because building them per request is slow. */
function headersOf(
  { apiKey: source, headers }: Connection,
  authorize: JsonEndpointOptions<z.ZodType>['authorize'],
  accept: Readonly<Record<string, string>>,
): (apiKey: string) => Readonly<Record<string, string>> {
  const headersWith = (apiKey: string) => ({ ...headers, ...accept, ...authorize(apiKey) });
  if (typeof source !== 'string') return headersWith;
  const fixed = headersWith(source);
  return () => fixed;
}

/**
 * Checks a whole reply to a GET or a POST.
 *
 * @param secrets keys that the request contains and no error may show.
 * @throws UpstreamError for everything but a 2xx JSON object of the expected shape.
 */
export function readJsonReply<S extends z.ZodType>(
  sent: UpstreamResponse,
  options: ReplyOptions<S>,
  secrets: readonly string[],
): JsonReply<z.output<S>> {
  if (!isSuccess(sent)) throw failureOf(sent, options, secrets);
  const json = parseJsonObject(sent, secrets);
  const isError = options.errorReply !== undefined && readOwnError(json, options.errorReply) !== undefined;
  return checkReply({ sent, json, length: sent.text.length, isError }, options, secrets);
}

/** How replies to a GET or a POST are read. */
type ReplyOptions<S extends z.ZodType> = Pick<
  JsonEndpointOptions<S, never>,
  'errors' | 'errorReply' | 'reply' | 'completeness'
>;

function failureOf(
  sent: UpstreamResponse,
  { errors: table, errorReply }: Pick<ReplyOptions<z.ZodType>, 'errors' | 'errorReply'>,
  secrets: readonly string[],
): UpstreamError {
  return upstreamFailure(sent, { table, errorReply, secrets });
}

function isSuccess({ status }: UpstreamResponse): boolean {
  return status >= 200 && status < 300;
}

/** The reply that was sent, or that a stream was reduced to. */
interface ParsedReply extends ReducedReply {
  /** Its text is empty after a stream. */
  readonly sent: UpstreamResponse;
}

function checkReply<S extends z.ZodType>(
  { sent, json, length, isError }: ParsedReply,
  { errors: table, errorReply, reply, completeness }: ReplyOptions<S>,
  secrets: readonly string[],
): JsonReply<z.output<S>> {
  const withText = () => (sent.text === '' ? { ...sent, text: JSON.stringify(json) } : sent);
  const failure = ({ cost, ...options }: ReplyFailure = {}) =>
    upstreamFailure(withText(), { table, errorReply, cost: cost ?? null, secrets, ...options });
  if (isError) throw failure();
  if (!limitReply(json, length)) throw failure({ detail: 'unexpected reply: too many values' });
  const parsed = reply.safeParse(json);
  if (!parsed.success) throw failure(shapeProblem(parsed.error, withText()));
  const stated = completeness === 'valid JSON' ? 'complete' : completeness(parsed.data);
  const isDenied = (stated === 'complete' || stated === 'unproven') && reportsFailure(json);
  // An adapter with 'valid JSON' does not check `finish`.
  if (isDenied && completeness === 'valid JSON') throw failure();
  const finish = isDenied ? 'failed' : stated;
  return { body: parsed.data, finish, failure, header: (name) => sent.header(name) };
}

/** The key as `Authorization: Bearer`. */
export function bearer(apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}

/** The key alone in a header of this (lower-case) name. */
export function keyHeader(name: string): (apiKey: string) => Record<string, string> {
  return (apiKey) => ({ [name]: apiKey });
}

/** @throws UpstreamError `upstream_auth_failed` when a function gives no usable key. */
export async function currentKey(source: ApiKeySource): Promise<string> {
  if (typeof source === 'string') return source;
  const key: unknown = await Promise.resolve()
    .then(source)
    .catch((cause: unknown) => {
      const words = cause instanceof Error ? redact(cause.message) : '';
      throw new UpstreamError('upstream_auth_failed', {
        phase: 'connect',
        detail: `the apiKey function failed: ${words}`,
        cause,
      });
    });
  if (isApiKey(key)) return key;
  const detail = 'the apiKey function returned no usable key: visible ASCII without spaces is wanted';
  throw new UpstreamError('upstream_auth_failed', { phase: 'connect', detail });
}

/** No detail if the reply contains an error message of the provider; else the place of the first mismatch. */
function shapeProblem(error: z.ZodError, response: UpstreamResponse): ReplyFailure {
  if (readProviderError(response.text).message !== '') return {};
  const [issue] = error.issues;
  return { detail: `unexpected reply at ${issue?.path.join('.') || 'the top'}: ${issue?.message ?? ''}` };
}

/** A list that is too long has at least two characters per element, so its text is at least this long. */
const MIN_LENGTH_OF_MANY = 2 * MAX_ANNOTATIONS;
/** Most values in a reply after its lists are cut. Values inside lists and objects count too. */
const MAX_VALUES = 100_000;

/**
 * Cuts every list of a parsed reply to its first {@link MAX_ANNOTATIONS} elements.
 *
 * @param length of the reply's text: most replies are too short to contain a list that must be cut.
 * @returns false for a reply with more values or deeper nesting than any provider sends: checking its shape would take too long.
 */
export function limitReply(reply: object, length: number): boolean {
  if (length < MIN_LENGTH_OF_MANY) return true;
  let values = 0;
  function isBounded(value: unknown, depth: number): boolean {
    values += 1;
    if (typeof value !== 'object' || value === null) return values <= MAX_VALUES;
    if (values > MAX_VALUES || depth > MAX_REPLY_DEPTH) return false;
    if (!Array.isArray(value)) return areBounded(value, depth);
    if (value.length > MAX_ANNOTATIONS) value.length = MAX_ANNOTATIONS;
    return value.every((element) => isBounded(element, depth + 1));
  }
  function areBounded(fields: object, depth: number): boolean {
    for (const name in fields) if (!isBounded((fields as Record<string, unknown>)[name], depth + 1)) return false;
    return true;
  }
  return isBounded(reply, 0);
}
