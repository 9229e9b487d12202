import { z } from 'zod';
import type { UpstreamReason } from '../errors/reasons.js';
import { UpstreamError } from '../errors/upstream-error.js';
import type { MeteredUsage } from '../money/metered-usage.js';
import type { NanoUsd } from '../money/money.js';
import { redact } from '../upstream/redact.js';
import type { UpstreamResponse } from '../upstream/upstream-client.js';
import { boundReply } from './bound-reply.js';
import type { ErrorTable } from './classify.js';
import { type FoldEvents, foldStream } from './fold-stream.js';
import type { AnswerContext } from './provider.js';
import { type ApiKeySource, type Connection, isApiKey } from './provider-settings.js';
import { parseJsonObject, readProviderError, upstreamFailure } from './upstream-failure.js';

export interface JsonEndpointOptions<S extends z.ZodType> {
  /** Appended to the base URL; begins with a slash. */
  readonly path: string;
  /** Puts the key into headers: {@link bearer} or {@link keyHeader}. */
  readonly authorize: (apiKey: string) => Readonly<Record<string, string>>;
  /** Where the provider differs from the common meaning of statuses. */
  readonly errors: ErrorTable;
  /** A successful reply, as far as it is used. */
  readonly reply: S;
  /** Makes one object of a reply that comes as a stream of events. Default: replies are no streams. */
  readonly fold?: FoldEvents | undefined;
}

/** A successful reply in the expected shape. */
export interface JsonReply<T> {
  readonly body: T;
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

/** One address of a provider that takes and gives JSON, as a function: a body in, a checked reply out. Makes one request and never retries. */
export function jsonEndpoint<S extends z.ZodType>(connection: Connection, options: JsonEndpointOptions<S>) {
  const url = new URL(connection.baseUrl + options.path);
  const accept = options.fold === undefined ? {} : { accept: 'text/event-stream' };
  const headersWith = (apiKey: string) => ({ ...connection.headers, ...accept, ...options.authorize(apiKey) });
  // Put together once for a key that does not change: on the path of a request this is dearer than it looks.
  const fixedHeaders = typeof connection.apiKey === 'string' ? headersWith(connection.apiKey) : undefined;
  // Compiled when the first reply arrives, so that a gateway which never asks this provider starts no slower for it.
  let compiled: JsonEndpointOptions<S> | undefined;

  /** @throws UpstreamError for everything but a 2xx JSON object of the expected shape. */
  return async (json: object, { upstream }: AnswerContext): Promise<JsonReply<z.output<S>>> => {
    const apiKey = typeof connection.apiKey === 'string' ? connection.apiKey : await currentKey(connection.apiKey);
    const headers = fixedHeaders ?? headersWith(apiKey);
    compiled ??= { ...options, reply: z.compile(options.reply) };
    return readJsonReply(await upstream.send({ method: 'POST', url, headers, json }), compiled, [apiKey]);
  };
}

/**
 * Checks what a provider has replied, whichever way it was asked.
 *
 * @param secrets what the request carried and no error may show.
 * @throws UpstreamError for everything but a 2xx JSON object of the expected shape.
 */
export function readJsonReply<S extends z.ZodType>(
  sent: UpstreamResponse,
  { errors: table, reply, fold }: Pick<JsonEndpointOptions<S>, 'errors' | 'reply' | 'fold'>,
  secrets: readonly string[],
): JsonReply<z.output<S>> {
  if (sent.status < 200 || sent.status >= 300) throw upstreamFailure(sent, { table, secrets });
  const response = fold === undefined ? sent : foldStream(sent, fold, secrets);
  const failure = ({ cost, ...options }: ReplyFailure = {}) =>
    upstreamFailure(response, { table, cost: cost ?? null, secrets, ...options });
  const json = parseJsonObject(response, secrets);
  if (!boundReply(json, response.text.length)) throw failure({ detail: 'unexpected reply: too many values' });
  const parsed = reply.safeParse(json);
  if (!parsed.success) throw failure(shapeProblem(parsed.error, response));
  return { body: parsed.data, failure, header: (name) => sent.header(name) };
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
