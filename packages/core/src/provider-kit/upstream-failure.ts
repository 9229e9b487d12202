import type { UpstreamPhase, UpstreamReason } from '../base/errors/reasons.js';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { parseVendorJson } from '../base/json-counts.js';
import type { MeteredUsage } from '../base/metered-usage.js';
import type { NanoUsd } from '../base/money.js';
import { redact } from '../upstream/redact.js';
import type { UpstreamResponse } from '../upstream/upstream-client.js';
import {
  classify,
  type ErrorReply,
  type ErrorTable,
  isTooMuchTogether,
  MAX_CODE_LENGTH,
  MAX_MESSAGE_LENGTH,
  type ProviderErrorInfo,
  readOwnError,
} from './classify.js';
import { isEndInOrder } from './finish-words.js';
import { isObject, type JsonObject, objectOf, ownChoice, statusOf } from './reply-fields.js';
import { durationMs, retryAfterMs } from './retry-after.js';

/** What is known of a failed reply. */
export interface UpstreamFailureOptions {
  /** The provider's error table. If no row fits, the common meaning of the status counts. @default no rows */
  readonly table?: ErrorTable | undefined;
  /** Reads an error in the provider's own envelope. @default only the common envelopes are read */
  readonly errorReply?: ErrorReply | undefined;
  /** Replaces the reason of the table. @default that of the table */
  readonly reason?: UpstreamReason | undefined;
  /** @default `shape` for a 2xx, `headers` for any other status */
  readonly phase?: UpstreamPhase | undefined;
  /** The cost that the provider reports for the failed call. @default unknown */
  readonly cost?: NanoUsd | null | undefined;
  /** The usage that the provider reports for the failed call. @default unknown */
  readonly usage?: MeteredUsage | undefined;
  /** The keys sent with the request. No error shows any part of them. @default none */
  readonly secrets?: Iterable<string> | undefined;
  /** Replaces the provider's words as the detail, and is redacted like them. @default the provider's words */
  readonly detail?: string | undefined;
  /** Needed only for a `Retry-After` date in a reply without `date`. @default such a date is ignored */
  readonly nowMs?: number | undefined;
}

/** Makes the error for a reply that is no usable answer: reason, status, wait, cost, and the provider's words, redacted. */
export function upstreamFailure(response: UpstreamResponse, options: UpstreamFailureOptions = {}): UpstreamError {
  const { table = [], phase = isSuccess(response) ? 'shape' : 'headers', cost = null, secrets = [] } = options;
  const info = readProviderError(response.text, options.errorReply);
  const words = [...info.codes, info.message].filter((word) => word !== '').join(' ');
  return new UpstreamError(options.reason ?? classify(table, response.status, info), {
    phase,
    status: response.status,
    retryAfterMs: retryAfterMs(response, options.nowMs) ?? durationMs(info.retryDelay),
    cost,
    usage: options.usage,
    mayFitInParts: isTooMuchTogether(response.status, info),
    detail: redact(options.detail ?? (words === '' ? response.text : words), secrets),
  });
}

/**
 * Parses a successful reply that must be a JSON object.
 *
 * @throws UpstreamError `upstream_invalid_response`, phase `parse`, for any other text: broken JSON, a web page, an array, a bare value, and an object with
 * more parts or levels than any vendor sends.
 * @param listField the field of an array, which is the object then. Default: an array is an error.
 */
export function parseJsonObject(
  response: Pick<UpstreamResponse, 'status' | 'text'>,
  secrets: Iterable<string> = [],
  listField?: string,
): JsonObject {
  const body = parseVendorJson(response.text);
  if (isObject(body)) return body;
  if (listField !== undefined && Array.isArray(body)) return { [listField]: body };
  const detail = redact(`not a JSON object of reasonable size: ${response.text}`, secrets);
  throw new UpstreamError('upstream_invalid_response', { phase: 'parse', status: response.status, detail });
}

/**
 * Reads an error out of the envelopes providers use (seen up to 2026-11): `{error: "…"}`, `{error: {message, type, code}}`,
 * `{error: [{code, msg}]}`, `{errors: [{code, detail}]}`, `{choices: [{error: {code, message}}]}`, `{error: "…", tag}`, `{message, statusCode}`, `{detail: "…"}`, `{detail: [{msg, type}]}`, `{detail: {error: "…"}}`,
 * `{message: {detail: …}}`, `{error: {message, details: {error_code}}}` and `google.rpc.Status`, whose `details` hold the reason, the quota and
 * the wait. Reads no error from any other body, or from a body longer than {@link MAX_ERROR_LENGTH}.
 *
 * @param errorReply the provider's own envelope, tried first.
 */
export function readProviderError(text: string, errorReply?: ErrorReply): ProviderErrorInfo {
  const body = text.length > MAX_ERROR_LENGTH ? undefined : parseVendorJson(text);
  return readOwnError(body, errorReply) ?? readCommonError(body);
}

function readCommonError(body: unknown): ProviderErrorInfo {
  const error = first(reportedError(body));
  const message = fieldOf(body, 'message');
  const details = listOf(fieldOf(error, 'details')).slice(0, MAX_DETAILS);
  const levels = [
    body,
    error,
    first(fieldOf(body, 'detail')),
    fieldOf(fieldOf(body, 'detail'), 'error'),
    message,
    first(fieldOf(message, 'detail')),
    ...details.flatMap((each) => [each, ...listOf(fieldOf(each, 'violations')).slice(0, MAX_DETAILS)]),
  ];
  const codes = levels.flatMap((level) => CODE_FIELDS.map((field) => fieldOf(level, field)).filter(isCode)).map(String);
  const messages = levels.flatMap((level) => MESSAGE_FIELDS.map((field) => fieldOf(level, field)));
  const retryDelay = details.map((each) => fieldOf(each, 'retryDelay')).find(isText);
  return {
    codes: [...new Set(codes.filter((code) => code.length <= MAX_CODE_LENGTH))],
    message: (messages.find(isText) ?? '').slice(0, MAX_MESSAGE_LENGTH),
    ...(retryDelay === undefined ? {} : { retryDelay }),
  };
}

/** The longest error that is parsed, in UTF-16 code units: hundreds of times what providers send. */
export const MAX_ERROR_LENGTH = 262_144;

/** Most entries of a list that are read. */
const MAX_DETAILS = 20;

const CODE_FIELDS = ['code', 'type', 'tag', 'status', 'reason', 'error_code', 'quotaId'] as const;
const MESSAGE_FIELDS = ['message', 'msg', 'error', 'detail'] as const;

export function isSuccess({ status }: Pick<UpstreamResponse, 'status'>): boolean {
  return status >= 200 && status < 300;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCode(value: unknown): value is string | number {
  return isText(value) || typeof value === 'number';
}

function fieldOf(value: unknown, field: string): unknown {
  return objectOf(value)[field];
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Whether a field named `error` contains an error: `null`, `""`, `{}`, `[]`, `false`, `0` and an object full of `null` do not. */
export function saysError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return Object.values(value).some((field) => field !== null);
}

/** The error that a reply or an event reports, at the top or in its choice. */
export function reportedError(body: unknown): unknown {
  const object = objectOf(body);
  const { choices } = object;
  return errorBeside(object, choices === undefined ? {} : ownChoice(choices));
}

/** Like {@link reportedError}, for a choice that is already known. */
export function errorBeside({ error, errors }: JsonObject, { error: ofChoice }: JsonObject): unknown {
  // Most replies have no error, so absence is checked first.
  if (error !== undefined && saysError(error)) return error;
  if (errors !== undefined && saysError(errors)) return errors;
  return ofChoice !== undefined && saysError(ofChoice) ? ofChoice : undefined;
}

/** Whether a reply reports an error or an unfinished run in another field than its answer: vendors do so with a 200 too. */
export function reportsFailure(json: JsonObject): boolean {
  const { object, type, success, status } = json;
  const isError = (typeof object === 'string' && ERROR.test(object)) || (typeof type === 'string' && ERROR.test(type));
  if (isError || success === false || reportedError(json) !== undefined) return true;
  return status !== undefined && !isEndOfRun(status);
}

const ERROR = /^error/i;

/** Whether the `status` of a reply or a page, a word or an HTTP status, means a normal end. A status that is absent does. */
export function isEndOfRun(status: unknown): boolean {
  const code = statusOf(status);
  if (code !== undefined) return code < 400;
  if (typeof status === 'string') return status === '' || /^ok$/i.test(status) || isEndInOrder(status);
  return status !== false;
}
