import assert from 'node:assert/strict';
import type { IdempotencyStore, Ledger } from '@searchgate/core/ledger';
import {
  ANSWERED,
  ask,
  askRaw,
  type CaseRequest,
  GONE,
  type HttpCase,
  refused,
  row,
  type Stage,
} from '../http-case.js';
import { QUERIES } from '../stub-provider.js';
import type { WireResponse } from '../wire.js';
import { after, named, replayed } from './named-call.js';

const MOST_TURNS = 10_000;
const down = () => Promise.reject(new Error('INTERNAL: db1 refused the connection'));

function storeOf({ idempotency }: Ledger): IdempotencyStore {
  assert.ok(idempotency !== undefined, 'the memory ledger carries a store');
  return idempotency;
}

/** Repeats a request until the first call under its key is over. */
async function untilOver({ send }: Stage, request: CaseRequest): Promise<WireResponse> {
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const response = await send(request).response;
    if (response.status !== 409) return response;
  }
  throw new Error('the first call did not come to an end');
}

const FAILURE_CASES: readonly HttpCase[] = [
  ...Object.entries({
    'a field is wrong': ask({ query: '' }),
    'the model is unknown': ask({ model: 'stub/none' }),
    'the model is of another category': ask({ model: 'stub/vectors' }),
    'the body is no JSON': askRaw('{'),
  }).map(
    ([refusal, earlier]): HttpCase => ({
      ...row(`claims no Idempotency-Key when ${refusal}`, ask(), { ...ANSWERED, event: { replayed: false } }),
      before: after(earlier),
    }),
  ),
  {
    name: 'claims no Idempotency-Key when the key may not use the model',
    request: ask({ model: 'stub/backup', include_citations: false }, { key: 'restricted' }),
    before: after(ask({}, { key: 'restricted' })),
    expect: { status: 200, charge: { amount: '0.002', model: 'stub/backup' }, event: { replayed: false } },
  },
  replayed({
    name: 'replays an error that will not pass',
    request: ask({ query: QUERIES.fail('upstream_rejected') }),
    expect: { status: 502, event: { reason: 'upstream_rejected', attempts: 1 } },
  }),
  {
    ...row('names the reason of a replayed error in its event', ask({ query: QUERIES.fail('upstream_rejected') }), {
      status: 502,
      headers: { 'idempotent-replayed': 'true' },
      event: { reason: 'upstream_rejected', replayed: true, attempts: 0 },
    }),
    before: after(ask({ query: QUERIES.fail('upstream_rejected') })),
  },
  {
    ...row('checks the budget again for a call that was refused by it', ask({}, { key: 'spent' }), {
      status: 402,
      headers: { 'idempotent-replayed': null },
      event: { reason: 'key_limit_reached', replayed: false, attempts: 0 },
    }),
    before: after(ask({}, { key: 'spent' })),
  },
  {
    name: 'repeats a call that failed with a retryable error',
    request: ask(),
    before: after(ask({ query: QUERIES.fail('upstream_error') })),
    expect: { ...ANSWERED, headers: { 'idempotent-replayed': null }, event: { replayed: false } },
  },
];

const STORE_CASES: readonly HttpCase[] = [
  {
    name: 'asks no provider when an Idempotency-Key cannot be claimed',
    request: named(ask()),
    gateway: ({ ledger }) => ({ idempotency: { ...storeOf(ledger), claim: down } }),
    expect: refused(
      503,
      { type: 'service_unavailable', reason: 'ledger_unavailable' },
      { headers: { 'retry-after': '1' }, event: { attempts: 0 } },
    ),
  },
  {
    ...row('needs no store for a call without an Idempotency-Key', ask(), ANSWERED),
    gateway: () => ({ idempotency: { claim: down, complete: down, free: down } }),
  },
  {
    ...row('gives the answer even when it cannot be kept for a replay', named(ask()), ANSWERED),
    gateway: ({ ledger }) => ({ idempotency: { ...storeOf(ledger), complete: down } }),
  },
  {
    name: 'repeats a call that the ledger could not hold for',
    request: named(ask()),
    gateway: ({ ledger }) => {
      let isDown = true;
      const hold: typeof ledger.hold = (request) => {
        if (!isDown) return ledger.hold(request);
        isDown = false;
        return down();
      };
      return { ledger: { ...ledger, hold } };
    },
    before: after(ask()),
    expect: { ...ANSWERED, event: { replayed: false } },
  },
  {
    ...row('keeps the answer of a caller that has gone away for its return', named(ask({ query: QUERIES.wait })), GONE),
    during: async (stage, exchange) => {
      await stage.provider.asked;
      await exchange.disconnect();
      stage.provider.release();
      const second = await untilOver(stage, named(ask({ query: QUERIES.wait })));
      assert.equal(second.status, 200);
      assert.equal(second.headers['idempotent-replayed'], 'true');
    },
    unseen: { ...GONE, eventStatus: 200 },
    needsSockets: true,
  },
];

/** Failures of a call, its caller and the store: which free the `Idempotency-Key`, and which are replayed. */
export const IDEMPOTENCY_FAILURE_CASES: readonly HttpCase[] = [...FAILURE_CASES, ...STORE_CASES];
