import type { CallBodies, ErrorEnvelope, JsonObject, ModelBody } from '@searchgate/core/extensions';

/** Serves the tools: the gateway in this process, or a gateway behind a URL. */
export interface GatewaySource {
  /** @param fields of `POST /api/v1/answer`, `/search` or `/extract`, unchecked. @param signal aborts the call. */
  call<C extends CallCategory>(category: C, fields: JsonObject, signal: AbortSignal): Promise<Outcome<CallBodies[C]>>;
  /** The callable models of these categories. */
  models(categories: readonly CallCategory[], signal: AbortSignal): Promise<Outcome<readonly ModelBody[]>>;
}

/** The categories of models that tools call. */
export type CallCategory = keyof CallBodies;

export type Outcome<T> =
  | { readonly value: T; readonly problem: null }
  | { readonly value: null; readonly problem: Problem };

/** Why a tool call failed, and advice to the agent. */
export interface Problem {
  /** A reason of the gateway, or `gateway_unreachable`, `gateway_timeout` or `gateway_invalid_response`. */
  readonly reason: string;
  readonly message: string;
  readonly advice: string;
  readonly retryAfterSeconds: number | null;
  /** The gateway's error; `null` if the gateway sent none. */
  readonly error: ErrorEnvelope['error'] | null;
}

export function given<T>(value: T): Outcome<T> {
  return { value, problem: null };
}

export function refused(problem: Problem): Outcome<never> {
  return { value: null, problem };
}
