import type { Answer, ErrorEnvelope, JsonObject, ModelBody } from '@searchgate/core/extensions';

/** Where the tools get what they give: the gateway around them, or one behind a URL. */
export interface AnswerSource {
  /** @param fields of `POST /api/v1/answer`, unchecked. @param signal ends a call whose result is no longer wanted. */
  answer(fields: JsonObject, signal: AbortSignal): Promise<Outcome<Answer>>;
  /** The models that can be asked. */
  models(signal: AbortSignal): Promise<Outcome<readonly ModelBody[]>>;
}

export type Outcome<T> =
  | { readonly value: T; readonly problem: null }
  | { readonly value: null; readonly problem: Problem };

/** Why there is nothing to give, and what the agent can do about it. */
export interface Problem {
  /** A reason of the gateway's errors, or `gateway_unreachable`, `gateway_timeout` or `gateway_invalid_response`. */
  readonly reason: string;
  readonly message: string;
  readonly advice: string;
  readonly retryAfterSeconds: number | null;
  /** As the gateway gave it; `null` where none came from it. */
  readonly error: ErrorEnvelope['error'] | null;
}

export function given<T>(value: T): Outcome<T> {
  return { value, problem: null };
}

export function refused(problem: Problem): Outcome<never> {
  return { value: null, problem };
}
