import { describeFault } from './describe-fault.js';
import type { DetailsOf } from './error-details.js';
import { bigintsToStrings, GatewayError, isGatewayError } from './gateway-error.js';
import { type ErrorType, REASONS, type Reason } from './reasons.js';

export interface RequestErrorOptions<R extends Reason> {
  /** Facts of the reason, for the error's metadata. */
  readonly details?: DetailsOf<R> | undefined;
  /** The field or query parameter at fault. */
  readonly param?: string | undefined;
  /** A text for the caller after the reason's message. Written by the gateway; names at most a field. Default: the words of `param` and `details`. */
  readonly note?: string | undefined;
  /** When a retry makes sense, for the `Retry-After` header. */
  readonly retryAfterMs?: number | undefined;
  /** The error behind it, for the operator's log. */
  readonly cause?: unknown;
}

/** A request that cannot be served. `gateway.answer` throws this error; the HTTP layer turns it into an error body. */
export class RequestError<R extends Reason = Reason> extends GatewayError {
  override readonly name = 'RequestError';
  /** Its stable name, such as `key_limit_reached`: branch on it. */
  readonly reason: R;
  /** The HTTP status of the error. */
  readonly status: number;
  /** The group of the reason, such as `rate_limit_error`. */
  readonly type: ErrorType;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Facts of the reason, such as the limit that was reached; `undefined` for a reason without any. Amounts are nanodollars. */
  readonly details: DetailsOf<R> | undefined;
  /** The wrong field, as the transport names it; `null` if no field is at fault. */
  readonly param: string | null;
  /** What the message says beyond the text of its reason; `null` for nothing. */
  readonly note: string | null;
  /** When a retry makes sense, in milliseconds; `null` for unknown. */
  readonly retryAfterMs: number | null;

  constructor(reason: R, options: RequestErrorOptions<R> = {}) {
    const { status, type, retryable, message } = REASONS[reason];
    const note = options.note ?? describeFault({ reason, ...options });
    super(withNote(message, note), options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.status = status;
    this.type = type;
    this.retryable = retryable;
    this.details = options.details;
    this.param = options.param ?? null;
    this.note = note ?? null;
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

/** Narrows a value to a {@link RequestError}, an error that callers may see. A comparison of `reason` then narrows `details`. */
export function isRequestError(value: unknown): value is { [R in Reason]: RequestError<R> }[Reason] {
  return isGatewayError(value) && value.name === 'RequestError';
}
