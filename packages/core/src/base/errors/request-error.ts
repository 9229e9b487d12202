import type { DetailsOf } from './error-details.js';
import { bigintsToStrings, GatewayError, isGatewayError } from './gateway-error.js';
import { type ErrorType, REASONS, type Reason } from './reasons.js';

export interface RequestErrorOptions<R extends Reason> {
  readonly details?: DetailsOf<R> | undefined;
  /** The field or query parameter at fault. */
  readonly param?: string | undefined;
  /** A text for the caller after the reason's message. Written by the gateway; names at most a field. */
  readonly note?: string | undefined;
  /** When a retry makes sense, for the `Retry-After` header. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request that cannot be served. `gateway.answer` throws this error; the HTTP layer turns it into an error body. */
export class RequestError<R extends Reason = Reason> extends GatewayError {
  override readonly name = 'RequestError';
  readonly reason: R;
  readonly status: number;
  readonly type: ErrorType;
  readonly retryable: boolean;
  readonly details: DetailsOf<R> | undefined;
  readonly param: string | null;
  readonly note: string | null;
  readonly retryAfterMs: number | null;

  constructor(reason: R, options: RequestErrorOptions<R> = {}) {
    const { status, type, retryable, message } = REASONS[reason];
    super(withNote(message, options.note), options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.status = status;
    this.type = type;
    this.retryable = retryable;
    this.details = options.details;
    this.param = options.param ?? null;
    this.note = options.note ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }

  override toJSON(): Record<string, unknown> {
    const { status, type, retryable, param, details } = this;
    return { ...super.toJSON(), status, type, retryable, param, details: bigintsToStrings(details) };
  }
}

/** The text of an error: the message of its reason, and the note. */
export function withNote(message: string, note: string | null | undefined): string {
  return note === null || note === undefined ? message : `${message} ${note}`;
}

/** Narrows a value to a {@link RequestError}, an error that callers may see. */
export function isRequestError(value: unknown): value is RequestError {
  return isGatewayError(value) && value.name === 'RequestError';
}
