import { z } from 'zod';
import type { UpstreamReason } from '../base/errors/reasons.js';
import { UpstreamError } from '../base/errors/upstream-error.js';
import type { MeteredUsage } from '../base/metered-usage.js';
import type { NanoUsd } from '../base/money.js';
import { redact } from '../upstream/redact.js';
import type { UpstreamResponse } from '../upstream/upstream-client.js';
import { boundReply } from './bound-reply.js';
import type { ErrorTable } from './classify.js';
import type { Evidence, FinishReason } from './evidence.js';
import type { LiveParts } from './live-parts.js';
import { type ErrorReply, readOwnError } from './own-error.js';
import type { AnswerContext } from './provider.js';
import { type ApiKeySource, type Connection, isApiKey } from './provider-settings.js';
import { type CreateReducer, type ReducedReply, readStream } from './reduce-stream.js';
import { reportsFailure } from './reported-error.js';
import { parseJsonObject, readProviderError, upstreamFailure } from './upstream-failure.js';

/** `Live` is what `reduce` writes into on the way. */
export interface JsonEndpointOptions<S extends z.ZodType, Live = LiveParts> {
  /** Appended to the base URL; begins with a slash. */
  readonly path: string;
  /** Puts the key into headers: {@link bearer} or {@link keyHeader}. */
  readonly authorize: (apiKey: string) => Readonly<Record<string, string>>;
  /** Where the provider differs from the common meaning of statuses. */
  readonly errors: ErrorTable;
  /**
   * An error reply, where its envelope is the provider's own: a schema that makes `{ code, message }` of it. It is tried before the common envelopes,
   * on replies of any status and on events of a stream; what fits is a failure.
   */
  readonly errorReply?: ErrorReply | undefined;
  /** A successful reply, as far as it is used. */
  readonly reply: S;
  /** What proves that a reply is whole, also one that a stream was reduced to: read as {@link JsonReply.finish}. */
  readonly evidence: Evidence<z.output<S>>;
  /** Makes one object of a reply that comes as a stream of events. Default: replies are no streams. */
  readonly reduce?: CreateReducer<Live> | undefined;
  /**
   * The field of a body that asks for a stream, where there is a `reduce`. Calls with `live` send it as `true` and get a stream, all others as `false`.
   * Default: none, and with a `reduce` every reply is a stream.
   */
  readonly streamField?: string | undefined;
}

/** A successful reply in the expected shape. */
export interface JsonReply<T> {
  readonly body: T;
  /** How it ended, by the evidence: for `assertComplete`. */
  readonly finish: FinishReason;
  /** A header of the reply, by lower-case name. */
  header(name: string): string | undefined;
  /**
   * The error for a reply that turns out to be no usable answer: by default with the provider's own words and what its error table makes of them in
   * a success, which is `upstream_invalid_response` unless a row says otherwise.
   */
  failure(options?: ReplyFailure): UpstreamError;
}

export interface ReplyFailure {
  readonly reason?: UpstreamReason | undefined;
  /** What the provider reports the failed call cost. */
  readonly cost?: NanoUsd | undefined;
  /** What the provider reports the failed call used. */
  readonly usage?: MeteredUsage | undefined;
  /** Instead of the provider's words. */
  readonly detail?: string | undefined;
}

/**
 * One address of a provider that takes and gives JSON, as a function: a body in, a checked reply out. Makes one request and never retries. Where
 * the reply is a stream, it hands over what `reduce` reads on the way to `live`.
 */
export function jsonEndpoint<S extends z.ZodType, Live = LiveParts>(
  connection: Connection,
  options: JsonEndpointOptions<S, Live>,
) {
  const url = new URL(connection.baseUrl + options.path);
  const { reduce, streamField } = options;
  const wholeHeaders = headersOf(connection, options.authorize, {});
  const streamHeaders = headersOf(connection, options.authorize, { accept: 'text/event-stream' });
  // Compiled when the first reply arrives, so that a gateway which never asks this provider starts no slower for it.
  let compiled: JsonEndpointOptions<S, Live> | undefined;

  /** @throws UpstreamError for everything but a 2xx JSON object of the expected shape. */
  return async (body: object, { upstream }: AnswerContext, live?: Live): Promise<JsonReply<z.output<S>>> => {
    const apiKey = typeof connection.apiKey === 'string' ? connection.apiKey : await currentKey(connection.apiKey);
    compiled ??= { ...options, reply: z.compile(options.reply) };
    const isStream = reduce !== undefined && (streamField === undefined || live !== undefined);
    // The field first: behind what is spread it would take five times as long.
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
    // A client of a test's own may give the whole text at the end.
    stream.push(sent.text);
    return checkReply({ sent: { ...sent, text: '' }, ...stream.end() }, compiled, secrets);
  };
}

/** The headers of every request. Put together once for a key that does not change: on the path of a request this is dearer than it looks. */
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
 * Checks a whole reply, whichever way it was asked for.
 *
 * @param secrets what the request carried and no error may show.
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

/** How replies are read, whichever way they were asked for. */
type ReplyOptions<S extends z.ZodType> = Pick<
  JsonEndpointOptions<S, never>,
  'errors' | 'errorReply' | 'reply' | 'evidence'
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

/** What was sent, or what a stream reduced to. */
interface ParsedReply extends ReducedReply {
  /** Its text is empty where it was a stream. */
  readonly sent: UpstreamResponse;
}

function checkReply<S extends z.ZodType>(
  { sent, json, length, isError }: ParsedReply,
  { errors: table, errorReply, reply, evidence }: ReplyOptions<S>,
  secrets: readonly string[],
): JsonReply<z.output<S>> {
  const withText = () => (sent.text === '' ? { ...sent, text: JSON.stringify(json) } : sent);
  const failure = ({ cost, ...options }: ReplyFailure = {}) =>
    upstreamFailure(withText(), { table, errorReply, cost: cost ?? null, secrets, ...options });
  if (isError) throw failure();
  if (!boundReply(json, length)) throw failure({ detail: 'unexpected reply: too many values' });
  const parsed = reply.safeParse(json);
  if (!parsed.success) throw failure(shapeProblem(parsed.error, withText()));
  const stated = evidence === 'closed object' ? 'complete' : evidence(parsed.data);
  const isDenied = (stated === 'complete' || stated === 'unproven') && reportsFailure(json);
  // Who takes a closed object for evidence does not look at how it ended.
  if (isDenied && evidence === 'closed object') throw failure();
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

/** An error the provider tells of in a 200 speaks for itself; else where the reply is not as expected. */
function shapeProblem(error: z.ZodError, response: UpstreamResponse): ReplyFailure {
  if (readProviderError(response.text).message !== '') return {};
  const [issue] = error.issues;
  return { detail: `unexpected reply at ${issue?.path.join('.') || 'the top'}: ${issue?.message ?? ''}` };
}
