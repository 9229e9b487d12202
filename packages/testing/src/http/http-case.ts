import type { ErrorEnvelope, GatewayOptions, Reason, RequestFinished } from '@searchgate/core';
import type { ConformanceGateway, GatewayParts, KeyName } from './conformance-gateway.js';
import type { Exchange, WireBody, WireResponse } from './wire.js';

/** One row of the conformance table. */
export interface HttpCase {
  readonly name: string;
  readonly request: CaseRequest;
  readonly expect: Expectation;
  /** What the row's gateway has instead of the kit's usual parts and options. */
  readonly gateway?: (parts: GatewayParts) => Partial<GatewayOptions>;
  /** What happens before the request. @returns headers to send with it. */
  readonly before?: (stage: Stage) => Promise<Readonly<Record<string, string>>>;
  /** What happens between the request and its response. */
  readonly during?: (stage: Stage, exchange: Exchange) => Promise<void>;
  /** The row sends or awaits something in the form of `POST /answer`, so it is not played as a chat completion too. */
  readonly onlyAnswer?: true;
  /** The row depends on how bodies and connections are transported. */
  readonly needsSockets?: true;
  /** What differs where the host cannot tell that the caller has gone. */
  readonly unseen?: Expectation;
  /** What differs when a body parser of the host reads the body first, and why. */
  readonly behindParser?: { readonly why: string; readonly expect: Expectation | 'not applicable' };
}

export interface CaseRequest {
  /** Default `GET`. */
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  /** Whose token is sent; `null` for none. Default `funded`. */
  readonly key?: KeyName | null;
  /** Lower-case names; they win over those made from `key` and `json`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `application/json`. */
  readonly json?: unknown;
  /** Sent as it is, without a content type. */
  readonly body?: string | Uint8Array | WireBody;
}

export interface Expectation {
  /** `none` when the caller has gone. */
  readonly status: number | 'none';
  /** Who answers. Default `gateway`; `host` for requests that are not the gateway's, `either` where frameworks differ. */
  readonly by?: 'gateway' | 'host' | 'either';
  /** Lower-case names; `null` for a header that must be absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** The exact body; `<id>` stands for the answer's id, `<request>` for that of the request, `<created>` for a time. */
  readonly body?: string;
  /** The body is a stream of events. */
  readonly streamed?: true;
  readonly error?: ExpectedError;
  /** What the ledger has charged for this request, in USD, and to which model. Default: nothing. */
  readonly charge?: { readonly amount: string; readonly model: string };
  /** What a failed attempt is noted to have cost the operator, in USD, and at which model. Default: nothing. */
  readonly loss?: { readonly amount: string; readonly model: string };
  /** What is still held for this request once it is over, in USD. Default: nothing. */
  readonly stillHeld?: string;
  /** Of the `request_finished` event. Default: 499 where the caller has gone, else that of the response. */
  readonly eventStatus?: 200;
  /** Fields of the `request_finished` event besides status and reason. */
  readonly event?: Partial<RequestFinished>;
  /** Whatever else is to be seen of the response. */
  readonly verify?: (response: WireResponse) => void;
}

export interface ExpectedError {
  readonly type: ErrorEnvelope['error']['type'];
  readonly reason: Reason;
  /** Default `null`. */
  readonly param?: string;
  /** Default `null`. */
  readonly metadata?: unknown;
  /** What stands behind the message of the reason. Default: nothing. */
  readonly note?: string;
}

/** A row's gateway, mounted and listening. */
export interface Stage extends ConformanceGateway {
  send(request: CaseRequest): Exchange;
}

/** A valid request to `POST /answer`, with the given fields changed. */
export function ask(fields: Readonly<Record<string, unknown>> = {}, request: Partial<CaseRequest> = {}): CaseRequest {
  return {
    method: 'POST',
    target: '/api/v1/answer',
    json: { model: 'stub/flat', query: 'When did it open?', ...fields },
    ...request,
  };
}

/** A request to `POST /answer` with another body. */
export function askRaw(
  body: string | Uint8Array | WireBody,
  headers: Readonly<Record<string, string>> = {},
): CaseRequest {
  return {
    method: 'POST',
    target: '/api/v1/answer',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  };
}

/** The response to a right question, charged at the flat price. */
/** The caller has gone; its answer is charged. */
export const GONE: Expectation = {
  status: 'none',
  charge: { amount: '0.005', model: 'stub/flat' },
  event: { cost: 5_000_000n, attempts: 1 },
};

export const ANSWERED: Expectation = {
  status: 200,
  body:
    '{"id":"<id>","model":"stub/flat","provider":"stub","answer":"It opened in May 2021 [1][2].",' +
    '"citations":[{"title":"Zephyr Bridge opens","url":"https://example.org/zephyr","snippet":"Opened on 14 May…"},' +
    '{"title":"news.example.com","url":"https://news.example.com/a?b=1","snippet":""}],"usage":{"cost":0.005}}',
  headers: { 'server-timing': /^gateway;dur=\d+\.\d, upstream;dur=\d+\.\d$/ },
  charge: { amount: '0.005', model: 'stub/flat' },
};

/** The parts of an expectation that refusals have in common. */
export function refused(
  status: number,
  error: ExpectedError,
  more: Omit<Expectation, 'status' | 'error'> = {},
): Expectation {
  return { status, error, ...more };
}

export const invalid = (reason: Reason, more: Partial<ExpectedError> = {}): ExpectedError => ({
  type: 'invalid_request_error',
  reason,
  ...more,
});

/** For {@link HttpCase.before}: requests that are answered first, one after the other. */
export const answered =
  (...requests: readonly CaseRequest[]) =>
  async (stage: Stage) => {
    for (const request of requests) await stage.send(request).response;
    return {};
  };

/** For {@link HttpCase.before}: a request whose provider is still waiting when the row's own one is sent. */
export const waiting = (request: CaseRequest) => async (stage: Stage) => {
  stage.send(request).response.catch(() => undefined);
  await stage.provider.asked;
  return {};
};
