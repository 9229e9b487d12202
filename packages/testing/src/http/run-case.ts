import assert from 'node:assert/strict';
import { formatUsd, parseUsd, REASONS, type RequestFinished } from '@searchgate/core';
import type { LedgerEntry } from '@searchgate/core/ledger';
import { chatError, OPENAI_TARGETS, shouldRetry } from './chat-form.js';
import {
  type ConformanceGateway,
  conformanceGateway,
  KEYS,
  type KeyName,
  organizationOf,
} from './conformance-gateway.js';
import type { CaseRequest, Expectation, ExpectedError, HttpCase, Stage } from './http-case.js';
import { UPSTREAM_WORDS } from './stub-provider.js';
import type { Exchange, HttpUnderTest, WireBody, WireRequest, WireResponse } from './wire.js';

/** Mounts a gateway in the host under test. */
export type StartHost = (gateway: ConformanceGateway['gateway']) => HttpUnderTest | Promise<HttpUnderTest>;

/** Called with a request and its response. */
export type ExchangeListener = (request: WireRequest, response: WireResponse) => void;

interface RowHost {
  readonly start: StartHost;
  readonly onExchange?: ExchangeListener | undefined;
}

/** Runs one row with a separate gateway and host, and compares everything observable. */
export async function runCase(row: HttpCase, expected: Expectation, { start, onExchange }: RowHost): Promise<void> {
  const kit = await conformanceGateway(row.gateway);
  const finished: RequestFinished[] = [];
  kit.gateway.on((event) => {
    if (event.type === 'request_finished') finished.push(event);
  });
  const host = await start(kit.gateway);
  const exchanges: [WireRequest, WireResponse][] = [];
  try {
    const stage: Stage = { ...kit, send: (request) => sendTo(host, toWire(request), exchanges) };
    const headers = (await row.before?.(stage)) ?? {};
    const before = await readBalances(kit, row.request.key);
    const exchange = stage.send({ ...row.request, headers: { ...row.request.headers, ...headers } });
    await row.during?.(stage, exchange);
    const response = await outcome(exchange, expected);
    if (response !== null) verifyResponse(response, expected, row.request);
    await verifyEvent(finished, expected, response);
    verifyBalances({ before, after: await readBalances(kit, row.request.key), expected, response });
  } finally {
    kit.provider.release();
    // Resolves only when every accepted call has ended.
    await kit.gateway.close();
    await host.stop();
  }
  for (const [request, response] of exchanges) onExchange?.(request, response);
}

/** Records answered exchanges. */
function sendTo(host: HttpUnderTest, request: WireRequest, answered: [WireRequest, WireResponse][]): Exchange {
  const exchange = host.send(request);
  exchange.response.then(
    (response) => answered.push([request, response]),
    () => undefined,
  );
  return exchange;
}

async function outcome(exchange: Exchange, { status }: Expectation): Promise<WireResponse | null> {
  if (status !== 'none') return exchange.response;
  await assert.rejects(exchange.response, 'the caller has disconnected, so there can be no response');
  return null;
}

function toWire({ method = 'GET', target, key = 'funded', headers = {}, json, body }: CaseRequest): WireRequest {
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${KEYS[key]}` };
  const contentType: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
  const content = json === undefined ? body : JSON.stringify(json);
  return {
    method,
    target,
    headers: { ...authorization, ...contentType, ...headers },
    body: content === undefined ? null : toBody(content),
  };
}

function toBody(content: string | Uint8Array | WireBody): WireBody {
  if (typeof content === 'string') return { chunks: [Buffer.from(content)], framing: 'length', stalls: false };
  return content instanceof Uint8Array ? { chunks: [content], framing: 'length', stalls: false } : content;
}

function verifyResponse(response: WireResponse, expected: Expectation, { method = 'GET', target }: CaseRequest): void {
  const { headers } = response;
  assert.equal(response.status, expected.status);
  const ours = headers['x-request-id'] !== undefined;
  if (expected.by === 'either' && !ours) return;
  assert.equal(ours, expected.by !== 'host', ours ? 'the gateway answered' : 'the host answered');
  for (const [name, value] of Object.entries(expected.headers ?? {})) verifyHeader(name, headers[name], value);
  if (!ours) return;
  if (expected.streamed === true) verifyStreamHeaders(response);
  else verifyWholeHeaders(response, method, expected);
  const text = Buffer.from(response.body).toString();
  if (expected.body !== undefined) assert.equal(withoutIds(text), expected.body);
  if (expected.error !== undefined && method !== 'HEAD')
    verifyEnvelope(response, expected.error, OPENAI_TARGETS.includes(target));
  verifyDiscretion(`${text}${JSON.stringify(headers)}`);
  expected.verify?.(response);
}

function verifyHeader(name: string, actual: string | undefined, expected: string | RegExp | null): void {
  if (expected === null) assert.equal(actual, undefined, `${name} must be absent`);
  else if (typeof expected === 'string') assert.equal(actual, expected, name);
  else assert.match(actual ?? '', expected, name);
}

function withoutIds(text: string): string {
  return text
    .replace(/"(?:ans|async|sch|ext|rnk|emb)_[0-9A-Z]{26}"/g, '"<id>"')
    .replace(/"req_[0-9A-Z]{26}"/g, '"<request>"')
    .replace(/"created":\d+/g, '"created":"<created>"');
}

function verifyCommonHeaders({ headers }: WireResponse): void {
  assert.match(headers['x-request-id'] ?? '', /^req_[0-9A-Z]{26}$/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
}

/** Streams must not be buffered or changed on the way, and have no length. */
function verifyStreamHeaders(response: WireResponse): void {
  verifyCommonHeaders(response);
  assert.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.equal(response.headers['content-length'], undefined);
  assert.equal(response.headers['content-encoding'], undefined);
  assert.equal(response.headers['cache-control'], 'no-store, no-transform');
  assert.equal(response.headers['x-accel-buffering'], 'no');
}

function verifyWholeHeaders(response: WireResponse, method: string, { inPieces }: Expectation): void {
  verifyCommonHeaders(response);
  const { status, headers, body } = response;
  if (status === 304) {
    assert.equal(body.byteLength, 0);
    return;
  }
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.match(headers['content-length'] ?? '', inPieces === true ? /^$/ : /^[1-9]\d*$/);
  if (inPieces !== true) assert.equal(body.byteLength, method === 'HEAD' ? 0 : Number(headers['content-length']));
  if (!headers['cache-control']?.startsWith('private')) assert.equal(headers['cache-control'], 'no-store');
}

function verifyEnvelope({ status, headers, body }: WireResponse, expected: ExpectedError, isOpenAi: boolean): void {
  const { type, reason, param, metadata } = { param: null, metadata: null, ...expected };
  const { message: text, retryable } = REASONS[reason];
  const given = JSON.parse(Buffer.from(body).toString()) as { readonly error: { readonly message: string } };
  const message = expected.note === undefined ? given.error.message : `${text} ${expected.note}`;
  assert.ok(message.startsWith(text), message);
  // Many clients show the message alone, so it names the fields at fault.
  const { issues = [] } = (metadata ?? {}) as { readonly issues?: readonly { path: string; message: string }[] };
  for (const name of [param ?? '', ...issues.map((issue) => `${issue.path} ${issue.message}`)])
    assert.ok(message.includes(name), `"${name}" is not in "${message}"`);
  const requestId = headers['x-request-id'];
  const error = { code: status, type, reason, message, param, retryable, request_id: requestId, metadata };
  assert.deepEqual(given, isOpenAi ? chatError(error) : { error });
  assert.equal(headers['x-should-retry'], isOpenAi ? shouldRetry(reason) : undefined, 'x-should-retry');
  if (headers['retry-after'] !== undefined) assert.ok(retryable, 'Retry-After on something that must not be retried');
}

/** No response may contain another party's secret, even after a failure. */
function verifyDiscretion(visible: string): void {
  for (const secret of [UPSTREAM_WORDS, 'INTERNAL', 'When did it open', ...Object.values(KEYS)]) {
    assert.ok(!visible.includes(secret), `"${secret}" got out`);
  }
}

/** The event follows shortly after the response. */
async function verifyEvent(
  finished: readonly RequestFinished[],
  expected: Expectation,
  response: WireResponse | null,
): Promise<void> {
  const requestId = response?.headers['x-request-id'];
  if (response !== null && requestId === undefined) return;
  const status = expected.eventStatus ?? (expected.status === 'none' ? 499 : expected.status);
  // Without a response the event is found by its status; later requests of a row are replays.
  const isIts = (event: RequestFinished) =>
    requestId === undefined ? event.status === status && !event.replayed : event.requestId === requestId;
  const find = () => finished.find(isIts);
  while (find() === undefined) await nextTurn();
  const reason = status === 499 ? 'client_closed_request' : (expected.error?.reason ?? null);
  // If an error may have several reasons, the row checks the reason itself.
  const known = reason !== null || status === 200 || status === 304 ? { status, reason } : { status };
  for (const [name, value] of Object.entries({ ...known, ...expected.event })) {
    assert.deepEqual(find()?.[name as keyof RequestFinished], value, `${name} of the event`);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** All ledger state that a request could change. */
interface Balances {
  readonly entries: readonly LedgerEntry[];
  readonly organization: { readonly usage: bigint; readonly held: bigint };
  readonly key: { readonly usage: bigint; readonly held: bigint };
}

async function readBalances({ ledger }: ConformanceGateway, key: KeyName | null = 'funded'): Promise<Balances> {
  const name = key ?? 'funded';
  return {
    entries: (await ledger.entries({ limit: 1_000 })).entries,
    organization: await ledger.organizationTotals(organizationOf(name)),
    key: await ledger.keyTotals(name),
  };
}

interface BalanceCheckInput {
  readonly before: Balances;
  readonly after: Balances;
  readonly expected: Expectation;
  readonly response: WireResponse | null;
}

function verifyBalances({ before, after, expected, response }: BalanceCheckInput): void {
  const { charge, loss, stillHeld = '0' } = expected;
  const written = after.entries.slice(before.entries.length);
  const charges = charge === undefined ? [] : [{ kind: 'charge', amount: charge.amount, model: charge.model }];
  const losses = loss === undefined ? [] : [{ kind: 'loss', amount: loss.amount, model: loss.model }];
  assert.deepEqual(written.map(summary), [...charges, ...losses], 'the entries written');
  if (charge !== undefined && response !== null)
    assert.equal(
      written[0]?.id,
      /"id":"((?:ans|async|sch|ext|rnk|emb)_\w+)"/.exec(Buffer.from(response.body).toString())?.[1],
    );
  const usage = formatUsd(parseUsd(charge?.amount ?? '0'));
  for (const of of ['organization', 'key'] as const) {
    assert.equal(formatUsd(after[of].usage - before[of].usage), usage, `usage of the ${of}`);
    assert.equal(formatUsd(after[of].held - before[of].held), stillHeld, `held of the ${of}`);
  }
}

function summary(entry: LedgerEntry) {
  return { kind: entry.kind, amount: formatUsd(entry.amount), model: 'model' in entry ? entry.model : null };
}
