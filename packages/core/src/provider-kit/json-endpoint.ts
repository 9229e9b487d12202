import { z } from 'zod';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { expectedValue } from '../base/options/expected-value.js';
import { isApiKey } from '../base/options/is-api-key.js';
import type { MarkerForm } from '../text/rewriter.js';
import { redact } from '../upstream/redact.js';
import type { UpstreamResponse } from '../upstream/upstream-client.js';
import { type ErrorReply, type ErrorTable, readOwnError } from './classify.js';
import type { Completeness } from './completeness.js';
import { assertComplete, type JsonReply, type ReplyFailure } from './compose-answer.js';
import { keySourceOf } from './key-list.js';
import { type LiveParts, liveParts } from './live-parts.js';
import type {
  AnswerAdapter,
  AnswerOutcome,
  ApiKeySource,
  CallContext,
  Connection,
  ProviderQuestion,
  Respond,
} from './provider.js';
import { type CreateReducer, type ReducedReply, readStream } from './reduce-stream.js';
import { limitReply } from './reply-fields.js';
import { isSuccess, parseJsonObject, readProviderError, reportsFailure, upstreamFailure } from './upstream-failure.js';

/** @typeParam Live receives the parts that `reduce` reads while the stream arrives. */
export interface JsonEndpointOptions<S extends z.ZodType, Live = LiveParts> {
  /** Appended to the base URL; begins with a slash. */
  readonly path: string;
  /** Puts the key into headers: {@link bearer} or {@link keyHeader}. Not asked where there is no key. @default {@link bearer} */
  readonly authorize?: ((apiKey: string) => Readonly<Record<string, string>>) | undefined;
  /** The provider's differences from the common meaning of statuses. @default none */
  readonly errors?: ErrorTable | undefined;
  /**
   * The schema of an error reply that has none of the common envelopes: it parses the reply to `{ code, message }`. The schema is tried first,
   * on replies of any status and on events of a stream; a reply or event that fits is a failure.
   *
   * @default only the common envelopes are read
   */
  readonly errorReply?: ErrorReply | undefined;
  /** The name under which `reply` finds a reply that is a bare list. @default a list is no reply */
  readonly listField?: string | undefined;
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

/**
 * Builds a function for one JSON endpoint of a provider: it takes a body and returns a checked reply. It makes one request and never retries. If
 * the reply is a stream, `live` receives the parts that `reduce` reads while the stream arrives.
 */
export function jsonEndpoint<S extends z.ZodType, Live = LiveParts>(
  connection: Connection,
  options: JsonEndpointOptions<S, Live>,
) {
  const url = new URL(connection.baseUrl + options.path);
  const { reduce, streamField, errors: table, errorReply } = options;
  const wholeHeaders = headersOf(connection, {}, options.authorize);
  const streamHeaders = headersOf(connection, { accept: 'text/event-stream' }, options.authorize);
  // Compiled for the first call, so that an unused provider does not slow the start of the gateway.
  let compiled: JsonEndpointOptions<S, Live> | undefined;

  /** @throws UpstreamError for everything but a 2xx JSON object of the expected shape. */
  return async (body: object, context: CallContext, live?: Live): Promise<JsonReply<z.output<S>>> => {
    const { upstream } = context;
    const source = keySourceOf(connection, context);
    const apiKey = typeof source === 'string' ? source : await currentKey(source);
    compiled ??= { ...options, reply: z.compile(options.reply) };
    const isStream = reduce !== undefined && (streamField === undefined || live !== undefined);
    // The field comes first: after the spread, building the object would take five times as long.
    const json = streamField === undefined ? body : { [streamField]: isStream, ...body };
    const secrets = [apiKey];
    if (!isStream) {
      const whole = await upstream.send({ method: 'POST', url, json, headers: wholeHeaders(apiKey) });
      return readJsonReply(whole, compiled, secrets);
    }
    const stream = readStream(reduce(live), { secrets, errorReply });
    const reading = { onText: stream.push, isWhole: stream.isWhole };
    const sent = await upstream.send({ method: 'POST', url, json, headers: streamHeaders(apiKey), ...reading });
    if (!isSuccess(sent)) throw upstreamFailure(sent, { table, errorReply, secrets });
    // The client of a test may give the whole text at the end.
    stream.push(sent.text);
    return checkReply({ sent: { ...sent, text: '' }, ...stream.end() }, compiled, secrets);
  };
}

/** The headers of every request. Built only once for a fixed key, because building them per request is slow. */
function headersOf(
  { apiKey: source, apiKeys, headers }: Connection,
  accept: Readonly<Record<string, string>>,
  authorize: JsonEndpointOptions<z.ZodType>['authorize'] = bearer,
): (apiKey: string) => Readonly<Record<string, string>> {
  const headersWith = (apiKey: string) => ({ ...headers, ...accept, ...(apiKey !== '' && authorize(apiKey)) });
  if (typeof source !== 'string' || apiKeys !== undefined) return headersWith;
  const fixed = headersWith(source);
  return (apiKey) => (apiKey === source ? fixed : headersWith(apiKey));
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
  const { errors: table, errorReply, listField } = options;
  if (!isSuccess(sent)) throw upstreamFailure(sent, { table, errorReply, secrets });
  const json = parseJsonObject(sent, secrets, listField);
  const isError = errorReply !== undefined && readOwnError(json, errorReply) !== undefined;
  return checkReply({ sent, json, length: sent.text.length, isError }, options, secrets);
}

/** How replies to a GET or a POST are read. */
type ReplyOptions<S extends z.ZodType> = Pick<
  JsonEndpointOptions<S, never>,
  'errors' | 'errorReply' | 'listField' | 'reply' | 'completeness'
>;

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
  const parsed = reply.safeParse(json, SHOWN);
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
      const failed = `the apiKey function failed: ${cause instanceof Error ? redact(cause.message) : ''}`;
      throw new UpstreamError('upstream_auth_failed', { phase: 'connect', detail: failed, cause });
    });
  if (isApiKey(key)) return key;
  const detail = 'the apiKey function returned no usable key: visible ASCII without spaces is wanted';
  throw new UpstreamError('upstream_auth_failed', { phase: 'connect', detail });
}

/** Operators see the first message. */
const SHOWN = { error: expectedValue };

/** No detail if the reply contains an error message of the provider; else the place of the first mismatch. */
function shapeProblem(error: z.ZodError, response: UpstreamResponse): ReplyFailure {
  if (readProviderError(response.text).message !== '') return {};
  const [issue] = error.issues;
  return { detail: `unexpected reply at ${issue?.path.join('.') || 'the top'}: expected ${issue?.message ?? ''}` };
}

/** The endpoint, and the provider's own request and reply. */
export interface JsonAnswerOptions<S extends z.ZodType> extends JsonEndpointOptions<S>, MarkerForm {
  /**
   * Makes the body of the request, without the `streamField`.
   *
   * @param isLive whether the caller wants a stream.
   */
  readonly request: (call: ProviderQuestion, isLive: boolean) => object;
  /**
   * Reads a whole reply, or the reply that a stream was reduced to.
   *
   * @throws UpstreamError for a reply that is no usable answer: the error that its `failure` makes.
   */
  readonly outcome: (reply: JsonReply<z.output<S>>, call: ProviderQuestion) => AnswerOutcome;
}

/**
 * An adapter that sends one request to one URL of a provider, and answers whole or as a stream. Its `stream` hands over the parts that `reduce` reads,
 * through `liveParts`. Adapters that send several requests use `jsonEndpoint`.
 */
export function jsonAnswer<S extends z.ZodType>(
  connection: Connection,
  options: JsonAnswerOptions<S>,
): Required<AnswerAdapter> {
  const ask = jsonEndpoint(connection, options);

  const respond: Respond = async (call, context, live) => {
    const request = options.request(call, live !== undefined);
    const reply = await ask(request, context, live && liveParts(live, options));
    const outcome = options.outcome(reply, call);
    if (reply.finish === 'complete') return outcome;
    // In case `outcome` did not check.
    assertComplete(reply, outcome.cost, call);
    return { ...outcome, truncated: true };
  };

  return { answer: respond, stream: respond };
}
