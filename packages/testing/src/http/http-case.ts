import type { ErrorEnvelope, GatewayOptions, Reason, RequestFinished } from '@searchgate/core';
import type { ConformanceGateway, GatewayParts, KeyName } from './conformance-gateway.js';
import { GROUNDING } from './stub-provider.js';
import type { Exchange, WireBody, WireResponse } from './wire.js';

/** One row of the conformance table. */
export interface HttpCase {
  readonly name: string;
  readonly request: CaseRequest;
  readonly expect: Expectation;
  /** Replaces parts and options of the row's gateway. */
  readonly gateway?: (parts: GatewayParts) => Partial<GatewayOptions>;
  /** Runs before the request. @returns headers to send with it. */
  readonly before?: (stage: Stage) => Promise<Readonly<Record<string, string>>>;
  /** Runs between the request and its response. */
  readonly during?: (stage: Stage, exchange: Exchange) => Promise<void>;
  /** The row depends on the form of `POST /answer`, so it is not run in OpenAI's forms. */
  readonly onlyAnswer?: true;
  /** The row depends on how bodies and connections are transported. */
  readonly needsSockets?: true;
  /** Expectation for hosts that do not notice disconnects. */
  readonly unseen?: Expectation;
  /** Expectation for hosts that parse the body first, and the reason for the difference. */
  readonly behindParser?: { readonly why: string; readonly expect: Expectation | 'not applicable' };
}

export interface CaseRequest {
  /** Default `GET`. */
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  /** The key whose token is sent; `null` for none. Default `funded`. */
  readonly key?: KeyName | null;
  /** Lower-case names; they override those derived from `key` and `json`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `application/json`. */
  readonly json?: unknown;
  /** Sent unchanged, without a content type. */
  readonly body?: string | Uint8Array | WireBody;
}

export interface Expectation {
  /** `none` after a disconnect. */
  readonly status: number | 'none';
  /** The responder. Default `gateway`; `host` for other requests, `either` if frameworks differ. */
  readonly by?: 'gateway' | 'host' | 'either';
  /** Lower-case names; `null` for a header that must be absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** The exact body; `<id>` stands for the answer's id, `<request>` for that of the request, `<created>` for a time. */
  readonly body?: string;
  /** The body is a stream of events. */
  readonly streamed?: true;
  /** The body is JSON that comes in pieces, so that its length is not announced. */
  readonly inPieces?: true;
  readonly error?: ExpectedError;
  /** The charge for this request, in USD, and its model. Default: none. */
  readonly charge?: { readonly amount: string; readonly model: string };
  /** The operator's cost of a failed attempt, in USD, and its model. Default: none. */
  readonly loss?: { readonly amount: string; readonly model: string };
  /** The amount still held after this request, in USD. Default: none. */
  readonly stillHeld?: string;
  /** Status in the `request_finished` event. Default: 499 after a disconnect, else the response's status. */
  readonly eventStatus?: 200;
  /** Fields of the `request_finished` event besides status and reason. */
  readonly event?: Partial<RequestFinished>;
  /** Further checks of the response. */
  readonly verify?: (response: WireResponse) => void;
}

export interface ExpectedError {
  readonly type: ErrorEnvelope['error']['type'];
  readonly reason: Reason;
  /** Default `null`. */
  readonly param?: string;
  /** Default `null`. */
  readonly metadata?: unknown;
  /** Text after the message of the reason. Default: none. */
  readonly note?: string;
}

/** A row's gateway, mounted and listening. */
export interface Stage extends ConformanceGateway {
  send(request: CaseRequest): Exchange;
}

/** A row of the table, written in one line. */
export const row = (name: string, request: CaseRequest, expect: Expectation): HttpCase => ({ name, request, expect });

/** A valid request to `POST /answer` with changed fields. */
export function ask(fields: Readonly<Record<string, unknown>> = {}, request: Partial<CaseRequest> = {}): CaseRequest {
  return {
    method: 'POST',
    target: '/api/v1/answer',
    json: { model: 'stub/flat', query: 'When did it open?', ...fields },
    ...request,
  };
}

/** A request to `POST /answer` with this body. */
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

/** The caller has disconnected; the answer is charged. */
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

/** The body of an answer whose citations were checked. */
export const CHECKED = `${ANSWERED.body}`.replace('],"usage"', `],"grounding":${JSON.stringify(GROUNDING)},"usage"`);

/** The common parts of the expectation of a refusal. */
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

export const badRequest = (reason: Reason, more: Partial<ExpectedError> = {}) => refused(400, invalid(reason, more));

/** For {@link HttpCase.before}: sends and answers these requests one after another. */
export const answered =
  (...requests: readonly CaseRequest[]) =>
  async (stage: Stage) => {
    for (const request of requests) await stage.send(request).response;
    return {};
  };

/** For {@link HttpCase.before}: sends a request whose provider still waits when the row's request is sent. */
export const waiting = (request: CaseRequest) => async (stage: Stage) => {
  stage.send(request).response.catch(() => undefined);
  await stage.provider.asked;
  return {};
};
