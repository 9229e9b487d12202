import type { AnswerBody, ModelsBody } from '@searchgate/core';
import type { AnswerStatusBody, UsageBody } from '@searchgate/core/extensions';
import { type AnswerEvent, isAnswer, readAnswerEvents } from './answer-events.js';
import { beginCall, type Call, type Timers } from './call.js';
import type { Client } from './client.js';
import type {
  AnswerRequest,
  AsyncAnswerRequest,
  CallOptions,
  ClientOptions,
  KindName,
  KindReply,
  KindRequest,
  ModelsRequest,
  UsageRequest,
} from './client-options.js';
import { errorReply, gatewayError, invalidReply } from './error-reply.js';
import { check, readOptions, type Settings } from './read-options.js';
import { MAX_VECTOR_CHARACTERS, replyJson } from './reply-text.js';
import { clientError, isSearchgateError, SearchgateError } from './searchgate-error.js';

/** A reply that asks for a longer wait is not retried. */
const MAX_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;

interface RetryOptions {
  readonly maxRetries: number;
  readonly timers: Timers;
}

/**
 * Repeats an attempt while its error is retryable. The wait is the reply's `Retry-After`, else half a second, doubled per retry, minus up to half at
 * random. The client has no dependencies, so it does not use the `retry` of `@searchgate/core/ledger`.
 *
 * @throws SearchgateError of the last attempt; without a retry when the wait would outlast the call or exceed 60 s.
 */
async function withRetries<T>(attempt: () => Promise<T>, call: Call, { maxRetries, timers }: RetryOptions): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const failure = call.failure(error);
      const mayRetry = isSearchgateError(failure) && failure.retryable && retries < maxRetries && !call.signal.aborted;
      if (!mayRetry) throw failure;
      const waitMs = failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** retries * (0.5 + timers.random() / 2);
      if (waitMs > MAX_WAIT_MS || timers.now() + waitMs >= call.deadline) throw failure;
      await timers.sleep(waitMs, call.signal);
    }
  }
}

/** The parts of a request that differ from endpoint to endpoint. */
interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Below the mount path. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The longest reply. Default: that of {@link replyJson}. */
  readonly maxCharacters?: number | undefined;
}

/** A call that is charged. */
type ChargedCall = AnswerRequest | KindRequest<KindName>;

const CACHE_CONTROL = { refresh: 'no-cache', off: 'no-store' };

/**
 * Writes a charged call with the names of the wire. Unknown fields are sent too, for newer gateways.
 *
 * @throws TypeError for an invalid `idempotencyKey` or `cache`. The gateway checks everything else.
 */
function chargedRequest(path: string, asked: ChargedCall, stream?: boolean): WireRequest {
  const { signal: _signal, timeoutMs: _timeoutMs, idempotencyKey = randomKey(), ...others } = asked;
  const { cache, ...fields } = others;
  // An unsendable header would fail like a broken connection and be retried.
  check(/^[ -~]{1,255}$/.test(idempotencyKey), 'idempotencyKey must be 1 to 255 printable ASCII characters');
  const headers: Record<string, string> = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
  if (cache !== undefined) {
    check(Object.hasOwn(CACHE_CONTROL, cache), 'cache must be "refresh" or "off"');
    headers['cache-control'] = CACHE_CONTROL[cache];
  }
  const body = { ...wireNames(fields, true), stream };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

function modelsRequest({ category, callable }: ModelsRequest): WireRequest {
  return { method: 'GET', path: `/models${queryOf({ category, callable: callable?.toString() })}`, headers: {} };
}

function usageRequest({ by, from, to }: UsageRequest): WireRequest {
  return { method: 'GET', path: `/usage${queryOf({ by, from, to })}`, headers: {} };
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function answerStatusRequest(id: string): WireRequest {
  // A lone surrogate cannot be encoded; `URLSearchParams` replaces it in the same way.
  const whole = id.replace(/\p{Surrogate}/gu, '\ufffd');
  return { method: 'GET', path: `/answers/${encodeURIComponent(whole)}`, headers: {} };
}

const CREDITS_REQUEST: WireRequest = { method: 'GET', path: '/credits', headers: {} };
const KEY_REQUEST: WireRequest = { method: 'GET', path: '/key', headers: {} };

/** 128 random bits. Not `crypto.randomUUID`, which pages without TLS do not have. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `includeDomains` is `include_domains` on the wire. @param isDeep whether the fields of fields are named so too; a schema within them is not. */
function wireNames(fields: object, isDeep: boolean): object {
  const renamed = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    isDeep && typeof value === 'object' && value !== null && !Array.isArray(value) ? wireNames(value, false) : value,
  ]);
  return Object.fromEntries(renamed) as object;
}

/** @throws TypeError for an invalid option. */
export function buildClient(options: ClientOptions, timers: Timers): Client {
  const settings = readOptions(options);
  const retry = { maxRetries: settings.maxRetries, timers };

  function reply<T extends object>(request: WireRequest, call: Call, isBody: (body: T) => boolean): Promise<T> {
    const attempt = async () => readBody<T>(await send(settings, request, call.signal), isBody, request.maxCharacters);
    return withRetries(attempt, call, retry);
  }

  async function exchange<T extends object>(
    request: WireRequest,
    callOptions: CallOptions,
    isBody: (body: T) => boolean,
  ): Promise<T> {
    const call = beginCall(callOptions, settings, timers);
    try {
      return await reply(request, call, isBody);
    } finally {
      call.end();
    }
  }

  async function answerAsync({ pollMs = 2_000, ...asked }: AsyncAnswerRequest): Promise<AnswerBody> {
    check(pollMs >= 100, 'pollMs must be at least 100');
    const question = chargedRequest('/answer', asked);
    const headers = { ...question.headers, prefer: 'respond-async' };
    const call = beginCall(asked, settings, timers);
    try {
      const accepted = await reply<{ id: string }>({ ...question, headers }, call, hasId);
      if (isAnswer(accepted)) return accepted;
      for (;;) {
        const status = await reply<AnswerStatusBody>(answerStatusRequest(accepted.id), call, hasId);
        const failure = gatewayError(status, {});
        if (failure !== undefined) throw failure;
        if (status.answer !== undefined) return status.answer;
        // The store may have been too small for it.
        if (status.status === 'charged') throw new SearchgateError('answer_not_found', 'The answer is no longer kept.');
        await timers.sleep(pollMs, call.signal);
      }
    } catch (error) {
      throw call.failure(error);
    } finally {
      call.end();
    }
  }

  /** A method for calls that are charged. */
  function charged<T extends object>(path: string, isBody: (body: T) => boolean, maxCharacters?: number) {
    return async (asked: ChargedCall) => exchange({ ...chargedRequest(path, asked), maxCharacters }, asked, isBody);
  }

  async function* stream(asked: AnswerRequest) {
    const call = beginCall(asked, settings, timers);
    try {
      const request = chargedRequest('/answer', asked, true);
      yield* begun(await withRetries(() => openStream(settings, request, call), call, retry), call);
    } finally {
      call.end();
    }
  }

  // All methods are async, so that an invalid argument rejects like every other error.
  return {
    answer: charged<AnswerBody>('/answer', isAnswer),
    answerAsync,
    search: charged<KindReply<'search'>>('/search', hasList),
    extract: charged<KindReply<'extract'>>('/extract', hasList),
    rerank: charged<KindReply<'rerank'>>('/rerank', hasList),
    embed: charged<KindReply<'embed'>>('/embeddings', hasList, MAX_VECTOR_CHARACTERS),
    answerStream: stream,
    models: async (request = {}) => exchange<ModelsBody>(modelsRequest(request), request, hasList),
    credits: (callOptions = {}) =>
      exchange(CREDITS_REQUEST, callOptions, (body) => typeof body.total_credits === 'number'),
    key: (callOptions = {}) => exchange(KEY_REQUEST, callOptions, ({ label }) => typeof label === 'string'),
    usage: async (request) => exchange<UsageBody>(usageRequest(request), request, hasList),
    answerStatus: async (id, callOptions = {}) =>
      exchange(answerStatusRequest(id), callOptions, ({ status }) => typeof status === 'string'),
  };
}

function hasId({ id }: { readonly id?: unknown }): boolean {
  return typeof id === 'string';
}

/** A look at what tells a reply with a list from another JSON object. */
function hasList({ results, data = results }: { readonly results?: unknown; readonly data?: unknown }): boolean {
  return Array.isArray(data);
}

type Events = AsyncGenerator<AnswerEvent, void, undefined>;

/** A stream whose first event has arrived. It is not retried from here on. */
interface OpenStream {
  readonly first: IteratorResult<AnswerEvent, void>;
  readonly others: Events;
}

async function openStream(settings: Settings, request: WireRequest, { signal }: Call): Promise<OpenStream> {
  const others = readAnswerEvents(await send(settings, request, signal));
  return { first: await others.next(), others };
}

/** The events of an open stream. A failure becomes its last event. */
async function* begun({ first, others }: OpenStream, call: Call): Events {
  try {
    if (first.done !== true) yield first.value;
    yield* others;
  } catch (error) {
    yield { type: 'error', error: call.failure(error) as SearchgateError };
  } finally {
    // Closes the connection if the caller left the loop early.
    await others.return();
  }
}

/**
 * Sends a request. @returns a 2xx response with an unread body.
 *
 * @throws SearchgateError for any other status, and for a failed connection.
 */
async function send(settings: Settings, request: WireRequest, signal: AbortSignal): Promise<Response> {
  const { method, path, body } = request;
  const headers = new Headers(settings.headers);
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, value);
  let response: Response;
  try {
    // A followed redirect could take the key to another origin. `manual`, because Cloudflare Workers refuses `error`: https://github.com/cloudflare/cloudflare-docs/pull/33362 (2026-11-22).
    const init: RequestInit = { method, headers, redirect: 'manual', signal };
    if (body !== undefined) init.body = body;
    response = await settings.fetch(`${settings.baseUrl}/api/v1${path}`, init);
  } catch (cause) {
    throw clientError('connection_failed', { retryable: true, cause });
  }
  if (!response.ok) throw await errorReply(response);
  return response;
}

/**
 * Reads the body of a 200 as JSON.
 *
 * @param isBody distinguishes this body from another server's.
 * @throws SearchgateError `connection_failed`, `invalid_reply`.
 */
async function readBody<T>(response: Response, isBody: (body: T) => boolean, maxCharacters?: number): Promise<T> {
  const body = await replyJson(response, maxCharacters);
  if (typeof body !== 'object' || body === null || !isBody(body as T)) throw invalidReply(response);
  return body as T;
}
