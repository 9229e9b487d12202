import type { AnswerRequest, CallOptions, ModelsRequest, UsageRequest } from './client-options.js';
import { check } from './read-options.js';

/** What a request has besides what all requests of a client share. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Below the mount path. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A question without what only its call is about. */
export type Question = Omit<AnswerRequest, keyof CallOptions>;

const CACHE_CONTROL = { refresh: 'no-cache', off: 'no-store' };

/**
 * Writes a question in the words of the wire. Fields this version does not know are sent like the others: a newer gateway may.
 *
 * @throws TypeError where `idempotencyKey` or `cache` is wrong. All else is checked by the gateway.
 */
export function answerRequest(question: Question, stream: boolean): WireRequest {
  const { idempotencyKey = randomKey(), cache, search, routing, ...fields } = question;
  // Checked here: a header that cannot be sent fails as a broken connection does, and would be tried again.
  check(/^[ -~]{1,255}$/.test(idempotencyKey), 'idempotencyKey must be 1 to 255 printable ASCII characters');
  const headers: Record<string, string> = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
  if (cache !== undefined) {
    check(Object.hasOwn(CACHE_CONTROL, cache), 'cache must be "refresh" or "off"');
    headers['cache-control'] = CACHE_CONTROL[cache];
  }
  const body = { ...wireNames(fields), search: wireNames(search), routing: wireNames(routing), stream };
  return { method: 'POST', path: '/answer', headers, body: JSON.stringify(body) };
}

export function modelsRequest({ category }: ModelsRequest): WireRequest {
  return { method: 'GET', path: `/models${queryOf({ category })}`, headers: {} };
}

export function usageRequest({ by, from, to }: UsageRequest): WireRequest {
  return { method: 'GET', path: `/usage${queryOf({ by, from, to })}`, headers: {} };
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

export function answerStatusRequest(id: string): WireRequest {
  // As `URLSearchParams` does with halves of characters, which cannot be encoded.
  const whole = id.replace(/\p{Surrogate}/gu, '\ufffd');
  return { method: 'GET', path: `/answers/${encodeURIComponent(whole)}`, headers: {} };
}

export const CREDITS_REQUEST: WireRequest = { method: 'GET', path: '/credits', headers: {} };
export const KEY_REQUEST: WireRequest = { method: 'GET', path: '/key', headers: {} };

/** 128 random bits. Not `crypto.randomUUID`, which pages without TLS do not have. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `includeDomains` is `include_domains` on the wire. */
function wireNames<T extends object>(fields: T | null | undefined): object | null | undefined {
  if (typeof fields !== 'object' || fields === null) return fields;
  const renamed = Object.entries(fields).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value as unknown,
  ]);
  return Object.fromEntries(renamed) as object;
}
