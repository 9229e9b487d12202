import assert from 'node:assert/strict';
import type { CaseRequest, Expectation, HttpCase, Stage } from '../http-case.js';
import type { WireResponse } from '../wire.js';

const NAME = { 'idempotency-key': 'order-17' };

/** The request under a fixed `Idempotency-Key`. */
export const named = (request: CaseRequest): CaseRequest => ({ ...request, headers: { ...request.headers, ...NAME } });

/** Sends a request under the key first. @returns the header for the next request. */
export const after = (earlier: CaseRequest) => async (stage: Stage) => {
  await stage.send(named(earlier)).response;
  return NAME;
};

/** Starts a call under the key that keeps running. @returns the header for the second request. */
export const during = (earlier: CaseRequest) => async (stage: Stage) => {
  stage.send(named(earlier)).response.catch(() => undefined);
  await stage.provider.asked;
  return NAME;
};

/** A row whose answered request is repeated in the given form and must be replayed; the row's ledger sees both. */
export function replayed({ again, ...row }: Omit<HttpCase, 'during'> & { readonly again?: CaseRequest }): HttpCase {
  return {
    ...row,
    onlyAnswer: true,
    request: named(row.request),
    during: async ({ send }, { response }) => {
      const first = await response;
      assertReplay(await send(named(again ?? row.request)).response, first);
    },
  };
}

/** The replay equals the first response but for its own request id. */
function assertReplay(second: WireResponse, first: WireResponse): void {
  assert.equal(second.status, first.status);
  assert.ok(Buffer.from(second.body).equals(Buffer.from(first.body)), 'the body is replayed byte by byte');
  assert.equal(second.headers['idempotent-replayed'], 'true');
  assert.equal(second.headers['content-type'], first.headers['content-type']);
  assert.equal(second.headers['content-length'], first.headers['content-length']);
  assert.match(second.headers['x-request-id'] ?? '', /^req_/);
  assert.notEqual(second.headers['x-request-id'], first.headers['x-request-id']);
}

/** The reply to a repeated call whose first reply was too large to be kept. */
export const TOO_LARGE_TO_KEEP: Expectation = {
  status: 409,
  headers: { 'idempotent-replayed': 'true' },
  // The body names the earlier request.
  verify: ({ body }) => assert.match(Buffer.from(body).toString(), /"reason":"idempotency_result_too_large"/),
  event: { reason: 'idempotency_result_too_large', replayed: true, attempts: 0 },
};
