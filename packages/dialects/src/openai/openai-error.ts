import { REASONS, type Reason } from '@searchgate/core';
import type { ErrorEnvelope, PresentError } from '@searchgate/core/extensions';
import { errorText } from '../forms/error-text.js';

/** An error in OpenAI's form: `code` is the reason. The body also has the status, because the HTTP status of a stream is always 200. */
export function presentOpenAiError({ error }: ErrorEnvelope) {
  const { code: status, reason: code, message, type, param, retryable, request_id, metadata } = error;
  const shown = { message, type, param, code, status, retryable, request_id };
  return { error: { ...shown, metadata: metadata as ReturnType<PresentError> } };
}

/** Names the fields in a refusal of the asked model, where the core names its own. */
export function withFormNames(envelope: ErrorEnvelope, nameOf: (field: string) => string): ErrorEnvelope {
  const { error } = envelope;
  if (error.reason !== 'unsupported_option' || error.param === null) return envelope;
  return { error: { ...error, param: nameOf(error.param), message: errorText(error, nameOf) } };
}

/** The same with the status as `code`, and the reason beside it: AI SDK's Perplexity provider takes only a number (3.0.61 and 4.0.49, 2026-11-29). */
function presentStatusError(envelope: ErrorEnvelope): ReturnType<PresentError> {
  const { error } = presentOpenAiError(envelope);
  return { error: { ...error, code: error.status, reason: error.code } };
}

/**
 * OpenAI's clients retry 408, 409, 429 and every status from 500 on, unless this header says otherwise. Before a retry, some of them wait as
 * long as `Retry-After` asks, even for hours, and others only some seconds (`shouldRetry` and `retryRequest` in openai-node 6.49 and 7.57,
 * 2026-11-22). So a rate limit with a wait of more than a minute is not retried either.
 */
export function openAiErrorHeaders({ error }: ErrorEnvelope): Readonly<Record<string, string>> {
  const { code, retryable } = error;
  const isWorthIt = retryable && !isLongWait(error);
  const isRetried = code >= 500 || RETRIED_STATUSES.includes(code);
  return isRetried === isWorthIt ? NONE : { 'x-should-retry': String(isWorthIt) };
}

function isLongWait({ reason, metadata }: ErrorEnvelope['error']): boolean {
  if (reason !== 'rate_limited') return false;
  return (metadata as ErrorEnvelope<'rate_limited'>['error']['metadata']).retry_after > MAX_WAIT_S;
}

const RETRIED_STATUSES: readonly number[] = [408, 409, 429];
const MAX_WAIT_S = 60;
const NONE = Object.freeze({});

/** The schema of the body of an error in OpenAI's form. */
export function openAiErrorBody(reasons: readonly Reason[]) {
  const wordsOf = (of: (reason: (typeof reasons)[number]) => unknown) => ({ enum: [...new Set(reasons.map(of))] });
  const error = closedObject({
    message: { type: 'string' },
    type: wordsOf((reason) => REASONS[reason].type),
    param: { type: ['string', 'null'] },
    code: { ...wordsOf((reason) => reason), description: 'The reason: what to branch on.' },
    status: { ...wordsOf((reason) => REASONS[reason].status), description: 'The HTTP status.' },
    retryable: { type: 'boolean' },
    request_id: { type: 'string' },
    metadata: { type: ['object', 'null'], description: 'As in the errors of `POST /api/v1/answer`.' },
  });
  return closedObject({ error });
}

/** The schema of the body of {@link presentStatusError}. */
function statusErrorBody(reasons: readonly Reason[]) {
  const { code: reason, ...fields } = openAiErrorBody(reasons).properties.error.properties;
  return closedObject({ error: closedObject({ ...fields, code: fields.status, reason }) });
}

/** How errors are written, and their schema. */
export const OPENAI_ERRORS = { presentError: presentOpenAiError, errorBody: openAiErrorBody };
export const STATUS_ERRORS = { presentError: presentStatusError, errorBody: statusErrorBody };

/** An object with exactly these fields. */
export function closedObject<Properties extends object>(properties: Properties) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** The header of {@link openAiErrorHeaders}. */
export const OPENAI_ERROR_HEADERS = {
  'X-Should-Retry': {
    description: 'Whether clients of OpenAI should try again, where the status alone would mislead them.',
    schema: { type: 'string', pattern: '^(?:true|false)$' },
    example: 'false',
  },
};
