import type { Reason } from '@searchgate/core';
import { LedgerError } from '@searchgate/core/ledger';
import type { KeyName } from '../conformance-gateway.js';
import {
  ANSWERED,
  answered,
  ask,
  badRequest,
  type Expectation,
  type HttpCase,
  refused,
  row,
  waiting,
} from '../http-case.js';
import { QUERIES } from '../stub-provider.js';

const DAY_MS = 86_400_000;
const NEVER_RESETS = { limit_reset: null, resets_at: null };
const UNLIMITED = { ...NEVER_RESETS, rate_limit: null, max_concurrent: null };
/** The clock of the kit starts at 2026-01-01T00:00:00Z. */
const RESETS_DAILY = { limit_reset: 'daily', resets_at: '2026-01-02T00:00:00Z' };
const RESETS_NEXT = { limit_reset: 'daily', resets_at: '2026-01-03T00:00:00Z' };

/** `GET /key` of a key, without the limits that are not among the figures. */
function bodyOf(key: KeyName, figures: object): string {
  const spending = { label: `the ${key} key`, usage: 0, limit: null, limit_remaining: null, ...UNLIMITED };
  const bound_by = 'limit' in figures ? 'key_limit' : 'organization_credits';
  return JSON.stringify({ ...spending, ...figures, budgets: [], bound_by });
}

function shows(name: string, key: KeyName, figures: object): HttpCase {
  const body = bodyOf(key, figures);
  return row(name, { target: '/api/v1/key', key }, { status: 200, body, event: { endpoint: 'key', keyId: key } });
}

/** A refusal for lack of money. */
function exhausted(reason: Reason, figures: { budget?: string; limit: number; usage: number }): Expectation {
  const metadata = { ...NEVER_RESETS, required: 0.005, ...figures };
  return refused(402, { type: 'insufficient_credits', reason, metadata });
}

/** A second question while the first, by the same key, holds all money left. */
function inFlight(key: KeyName, resets: object): HttpCase {
  return {
    name: `asks to try again when the rest of the ${key} budget is held by a call in flight`,
    request: ask({}, { key }),
    before: waiting(ask({ query: QUERIES.wait }, { key })),
    expect: refused(
      429,
      {
        type: 'rate_limit_error',
        reason: 'budget_in_flight',
        metadata: { limit: 0.0075, usage: 0, required: 0.005, ...resets },
      },
      { headers: { 'retry-after': '1' } },
    ),
  };
}

const FILTERS = ['since', 'from', 'To', 'by', 'model', 'key', 'organization', 'start-date', 'limit', 'tag[]'];

/** Balances, limits and their refusals. */
export const ACCOUNT_CASES: readonly HttpCase[] = [
  ...['key', 'credits'].flatMap((path) =>
    FILTERS.map((param): HttpCase => {
      return {
        name: `refuses ${param} of ${path}, which shows one caller and all time`,
        request: { target: `/api/v1/${path}?${param}=x` },
        expect: badRequest('unsupported_field', { param, note: `Leave out ${param}.` }),
      };
    }),
  ),
  {
    name: 'shows the credits whatever else the query string has',
    request: { target: '/api/v1/credits?verbose=1&user=ada', key: 'shared' },
    expect: { status: 200, body: '{"total_credits":0.0075,"total_usage":0}' },
  },
  {
    name: 'shows the organization’s credits and usage',
    request: { target: '/api/v1/credits', key: 'shared' },
    expect: {
      status: 200,
      body: '{"total_credits":0.0075,"total_usage":0}',
      event: { endpoint: 'credits', organizationId: 'shared' },
    },
  },
  {
    name: 'shows the usage right after an answer, to the nanodollar',
    request: { target: '/api/v1/credits' },
    before: answered(ask({ model: 'stub/metered' })),
    expect: { status: 200, body: '{"total_credits":100,"total_usage":0.020000001}' },
  },
  {
    name: 'serves an organization without credits where the operator pays: its credits are its usage',
    request: { target: '/api/v1/credits', key: 'sponsored' },
    before: answered(ask({ model: 'stub/metered' }, { key: 'sponsored' })),
    expect: { status: 200, body: '{"total_credits":0.000000001,"total_usage":0.000000001}' },
  },
  {
    name: 'leaves what is held by a call in flight out of usage',
    request: { target: '/api/v1/credits', key: 'shared' },
    before: waiting(ask({ query: QUERIES.wait }, { key: 'shared' })),
    expect: { status: 200, body: '{"total_credits":0.0075,"total_usage":0}' },
  },
  shows('shows a limited key', 'limited', { limit: 5, limit_remaining: 5 }),
  shows('shows when a limit starts over', 'daily', { limit: 0.0075, limit_remaining: 0.0075, ...RESETS_DAILY }),
  shows('shows an unlimited key with nulls', 'funded', {}),
  shows('never shows less than nothing as remaining', 'overspent', { usage: 0.02, limit: 0.01, limit_remaining: 0 }),
  { name: 'serves HEAD on credits', request: { method: 'HEAD', target: '/api/v1/credits' }, expect: { status: 200 } },
  { name: 'serves HEAD on key', request: { method: 'HEAD', target: '/api/v1/key' }, expect: { status: 200 } },
  {
    name: 'refuses an answer the organization cannot pay',
    request: ask({}, { key: 'poor' }),
    expect: exhausted('organization_credits_exhausted', { limit: 0.001, usage: 0 }),
  },
  {
    name: 'refuses an answer above the key’s limit',
    request: ask({}, { key: 'spent' }),
    expect: exhausted('key_limit_reached', { limit: 0.001, usage: 0 }),
  },
  {
    name: 'refuses a second answer once the first has used the limit up',
    request: ask({}, { key: 'tight' }),
    before: answered(ask({}, { key: 'tight' })),
    expect: exhausted('key_limit_reached', { limit: 0.0075, usage: 0.005 }),
  },
  {
    name: 'says when a limit that is used up starts over',
    request: ask({}, { key: 'daily' }),
    before: answered(ask({}, { key: 'daily' })),
    expect: exhausted('key_limit_reached', { limit: 0.0075, usage: 0.005, ...RESETS_DAILY }),
  },
  {
    ...row('answers again once the limit of the key has started over', ask({}, { key: 'daily' }), ANSWERED),
    before: async (stage) => {
      await stage.send(ask({}, { key: 'daily' })).response;
      await stage.clock.advance(DAY_MS);
      return {};
    },
  },
  {
    name: 'shows what remains today beside what was ever used',
    request: { target: '/api/v1/key', key: 'daily' },
    before: async (stage) => {
      await stage.send(ask({}, { key: 'daily' })).response;
      await stage.clock.advance(DAY_MS);
      await stage.send(ask({}, { key: 'daily' })).response;
      return {};
    },
    expect: {
      status: 200,
      body: bodyOf('daily', { usage: 0.01, limit: 0.0075, limit_remaining: 0.0025, ...RESETS_NEXT }),
    },
  },
  inFlight('tight', NEVER_RESETS),
  inFlight('daily', RESETS_DAILY),
  inFlight('shared', NEVER_RESETS),
  inFlight('teamed', { budget: 'team', ...RESETS_DAILY }),
  {
    name: 'refuses an answer for which a budget of the key has no room left',
    request: ask({}, { key: 'teamed' }),
    before: answered(ask({}, { key: 'teamed' })),
    expect: exhausted('budget_exceeded', { budget: 'team', limit: 0.0075, usage: 0.005, ...RESETS_DAILY }),
  },
  {
    name: 'shows the budgets of a key, and which leaves it the least',
    request: { target: '/api/v1/key', key: 'teamed' },
    before: answered(ask({}, { key: 'teamed' })),
    expect: {
      status: 200,
      body:
        '{"label":"the teamed key","usage":0.005,"limit":null,"limit_remaining":null,"limit_reset":null,"resets_at":null,' +
        '"rate_limit":null,"max_concurrent":null,"budgets":[' +
        '{"id":"team","mode":"enforce","usage":0.005,"limit":0.0075,"limit_remaining":0.0025,"limit_reset":"daily",' +
        '"resets_at":"2026-01-02T00:00:00Z"},' +
        '{"id":"watched","mode":"warn","usage":0.005,"limit":0.001,"limit_remaining":0,"limit_reset":null,"resets_at":null}' +
        '],"bound_by":"budget:team"}',
    },
  },
  {
    name: 'refuses an answer that would make one budget too many',
    request: ask({}, { key: 'teamed' }),
    gateway: ({ ledger }) => ({
      ledger: { ...ledger, hold: () => Promise.reject(new LedgerError('too_many_budgets', 'as many as there can be')) },
    }),
    expect: refused(403, { type: 'permission_error', reason: 'too_many_budgets' }),
  },
  {
    name: 'refuses a search outside of the domains of its caller',
    request: ask({ search: { include_domains: ['example.com'] } }),
    gateway: () => ({
      authenticate: () => ({ id: 'fenced', organizationId: 'acme', domains: { only: ['example.org'] } }),
    }),
    expect: refused(403, { type: 'permission_error', reason: 'domains_exclude_all' }),
  },
  {
    name: 'refuses to ask with own keys alone where there are none',
    request: ask({ routing: { keys: 'own' } }),
    expect: refused(403, { type: 'permission_error', reason: 'provider_key_missing', param: 'routing.keys' }),
  },
  {
    name: 'refuses the keys of the operator to an organization with a key of its own',
    request: ask({ routing: { keys: 'shared' } }),
    gateway: () => ({ byok: { keys: { find: () => Promise.resolve({ apiKey: 'own' }) } } }),
    expect: refused(403, { type: 'permission_error', reason: 'shared_keys_not_allowed', param: 'routing.keys' }),
  },
  {
    name: 'asks to try again when a key of the organization cannot be found',
    request: ask(),
    gateway: () => ({ byok: { keys: { find: () => Promise.reject(new Error('the vault is down')) } } }),
    expect: refused(
      503,
      { type: 'service_unavailable', reason: 'provider_key_unavailable' },
      { headers: { 'retry-after': '1' } },
    ),
  },
  { name: 'answers a limited key as long as it has enough', request: ask({}, { key: 'limited' }), expect: ANSWERED },
];
