import type { GatewayOptions } from '@searchgate/core';
import type { OrganizationTotals } from '@searchgate/core/ledger';
import {
  ANSWERED,
  ask,
  badRequest,
  type CaseRequest,
  type Expectation,
  GONE,
  type HttpCase,
  refused,
  row,
  waiting,
} from '../http-case.js';
import { QUERIES } from '../stub-provider.js';

const unavailable = (
  reason: 'overloaded' | 'connection_wait_exceeded' | 'ledger_unavailable',
  retryAfter: string,
): Expectation => refused(503, { type: 'service_unavailable', reason }, { headers: { 'retry-after': retryAfter } });
/** A kept-alive connection must not keep the server open. */
const CLOSE = { connection: 'close' };
const SHUTTING_DOWN = refused(
  503,
  { type: 'service_unavailable', reason: 'shutting_down' },
  { headers: { 'retry-after': '5', ...CLOSE } },
);
const OVERLOADED = unavailable('overloaded', '1');
const LEDGER_DOWN = unavailable('ledger_unavailable', '1');

const HOOK_FAILED = refused(500, { type: 'api_error', reason: 'hook_failed' }, { headers: { 'retry-after': null } });
const NOT_AUTHENTICATED = { type: 'authentication_error', reason: 'not_authenticated' } as const;
const IDENTITY = { id: 'funded', organizationId: 'acme' };
const LEDGER_TIMEOUT_MS = 5_000;
/** Totals that throw when read: an error that no code of the gateway expects. */
const UNREADABLE = {
  get credits(): bigint {
    throw new Error('INTERNAL: an unexpected error');
  },
} as OrganizationTotals;

const READS: readonly CaseRequest[] = ['models', 'credits', 'key'].map((name) => ({ target: `/api/v1/${name}` }));
const down = () => Promise.reject(new Error('INTERNAL: db1 refused the connection'));

function whileAnotherWaits(
  name: string,
  request: CaseRequest,
  { expect, ...limits }: Pick<HttpCase, 'expect'> & Partial<GatewayOptions>,
): HttpCase {
  return {
    ...row(name, request, expect),
    gateway: () => ({ maxInFlight: 1, ...limits }),
    before: waiting(ask({ query: QUERIES.wait })),
  };
}

const CLOSING_CASES: readonly HttpCase[] = [
  ...[ask(), ...READS].map((request) => ({
    ...row(`refuses ${request.target} once the gateway is closing`, request, SHUTTING_DOWN),
    before: async ({ gateway }: { gateway: { close(): Promise<void> } }) => {
      await gateway.close();
      return {};
    },
  })),
  {
    name: 'finishes the answer that was in flight when closing began',
    request: ask({ query: QUERIES.wait }),
    during: async ({ gateway, provider }) => {
      await provider.asked;
      const closed = gateway.close();
      provider.release();
      await closed;
    },
    expect: { ...ANSWERED, headers: CLOSE },
  },
];

const LEDGER_CASES: readonly HttpCase[] = [
  {
    ...row('asks no provider without a hold', ask(), { ...LEDGER_DOWN, event: { attempts: 0 } }),
    gateway: ({ ledger }) => ({ ledger: { ...ledger, hold: down } }),
  },
  {
    ...row('answers 503 when the ledger has no totals of the organization', { target: '/api/v1/credits' }, LEDGER_DOWN),
    gateway: ({ ledger }) => ({ ledger: { ...ledger, organizationTotals: down } }),
  },
  {
    ...row('answers 503 when the ledger has no totals of the key', { target: '/api/v1/key' }, LEDGER_DOWN),
    gateway: ({ ledger }) => ({ ledger: { ...ledger, keyTotals: down } }),
  },
  ...[ask(), ...READS].map((request) => ({
    ...row(`answers 503 to ${request.target}, not 401, when the key store is down`, request, LEDGER_DOWN),
    gateway: () => ({ apiKeys: { findByHash: down } }),
  })),
  {
    name: 'gives the answer even when it cannot be settled yet, and keeps the hold',
    request: ask(),
    gateway: ({ ledger }) => ({ ledger: { ...ledger, settle: down } }),
    expect: { status: 200, stillHeld: '0.005', event: { cost: 5_000_000n } },
  },
];

/** Errors of the gateway, its ledger and its host. */
export const SERVICE_CASES: readonly HttpCase[] = [
  ...CLOSING_CASES,
  whileAnotherWaits('refuses an answer above maxInFlight', ask({}, { key: 'shared' }), { expect: OVERLOADED }),
  whileAnotherWaits('refuses an answer above its organization’s share of maxInFlight', ask({}, { key: 'limited' }), {
    maxInFlight: 7,
    expect: OVERLOADED,
  }),
  whileAnotherWaits('answers another organization at the same time', ask({}, { key: 'shared' }), {
    maxInFlight: 7,
    expect: ANSWERED,
  }),
  whileAnotherWaits('refuses an answer for which no connection is free in time', ask({}, { key: 'shared' }), {
    maxInFlight: 7,
    maxConnectionsPerProvider: 1,
    maxConnectionWaitMs: 0,
    expect: { ...unavailable('connection_wait_exceeded', '1'), event: { attempts: 0, cost: null } },
  }),
  whileAnotherWaits('asks for a key before it counts an answer', ask({}, { key: null }), {
    expect: refused(
      401,
      { type: 'authentication_error', reason: 'missing_api_key' },
      { headers: { 'www-authenticate': 'Bearer realm="searchgate"' } },
    ),
  }),
  whileAnotherWaits('finds the model before it counts an answer', ask({ model: 'stub/read' }), {
    expect: badRequest('model_category_mismatch', {
      param: 'model',
      metadata: { category: 'extract', path: '/api/v1/extract' },
    }),
  }),
  whileAnotherWaits(
    'serves what only reads above maxInFlight',
    { target: '/api/v1/key', key: 'limited' },
    { expect: { status: 200 } },
  ),
  ...LEDGER_CASES,
  {
    ...row('answers 500 when the host’s own authentication throws', ask(), HOOK_FAILED),
    gateway: () => ({
      authenticate: () => {
        throw new Error('INTERNAL: the session store is gone');
      },
    }),
  },
  {
    ...row('answers 500 when the host’s own authentication gives no identity', { target: '/api/v1/key' }, HOOK_FAILED),
    gateway: () => ({ authenticate: () => ({ ...IDENTITY, allowedModels: 'INTERNAL' }) as never }),
  },
  {
    name: 'answers 500 when the host’s key store finds something that is no key',
    request: { target: '/api/v1/key' },
    gateway: ({ apiKeys }) => ({
      apiKeys: {
        findByHash: async (hash) => ({ ...(await apiKeys.findByHash(hash)), allowedModels: 'INTERNAL' }) as never,
      },
    }),
    expect: HOOK_FAILED,
  },
  {
    ...row('answers 500 when the host’s own authentication hangs', ask(), HOOK_FAILED),
    gateway: () => ({ authenticate: () => new Promise(() => undefined) }),
    during: async ({ clock }, { response }) => {
      const state = { isWaiting: true };
      const stop = () => (state.isWaiting = false);
      response.then(stop, stop);
      while (state.isWaiting) await clock.advance(LEDGER_TIMEOUT_MS);
    },
  },
  ...[
    ask({}, { key: null }),
    { target: '/api/v1/key' },
    { target: '/api/v1/key', headers: { authorization: 'Basic YTpi' } },
  ].map((request) => ({
    name: `speaks of no key when the host’s own authentication refuses ${JSON.stringify(request.headers ?? request.target)}`,
    request,
    gateway: () => ({ authenticate: () => null }),
    expect: refused(401, NOT_AUTHENTICATED, { headers: { 'www-authenticate': 'Bearer realm="searchgate"' } }),
  })),
  {
    name: 'answers 500 to an unexpected error, without details',
    request: { target: '/api/v1/credits' },
    gateway: ({ ledger }) => ({ ledger: { ...ledger, organizationTotals: () => Promise.resolve(UNREADABLE) } }),
    expect: refused(500, { type: 'api_error', reason: 'internal_error' }),
  },
  {
    ...row('finishes and charges the attempt of a caller that has gone away', ask({ query: QUERIES.wait }), GONE),
    during: async ({ provider }, exchange) => {
      await provider.asked;
      await exchange.disconnect();
      provider.release();
    },
    unseen: { ...GONE, eventStatus: 200 },
    needsSockets: true,
  },
];
