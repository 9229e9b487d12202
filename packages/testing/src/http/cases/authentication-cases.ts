import type { Reason } from '@searchgate/core';
import type { KeyName } from '../conformance-gateway.js';
import { ask, type CaseRequest, type Expectation, type HttpCase, refused, row } from '../http-case.js';

const CHALLENGE = 'Bearer realm="searchgate"';

function challenged(reason: Reason, challenge = CHALLENGE): Expectation {
  return refused(401, { type: 'authentication_error', reason }, { headers: { 'www-authenticate': challenge } });
}

const MISSING = challenged('missing_api_key');
const MALFORMED = challenged('malformed_authorization', `${CHALLENGE}, error="invalid_request"`);
const badToken = (reason: Reason) => challenged(reason, `${CHALLENGE}, error="invalid_token"`);
const SUSPENDED = refused(
  403,
  { type: 'permission_error', reason: 'organization_suspended' },
  { headers: { 'www-authenticate': null } },
);

/** All endpoints authenticate in the same way. */
const REQUESTS: readonly CaseRequest[] = [
  ask(),
  ...['models', 'credits', 'key'].map((name) => ({ target: `/api/v1/${name}` })),
];

function onEveryEndpoint(name: string, who: Partial<CaseRequest>, expect: Expectation): HttpCase[] {
  return REQUESTS.map((request) => ({ name: `${name} on ${request.target}`, request: { ...request, ...who }, expect }));
}

const withKey = (key: KeyName) => ({ key });

function malformed(name: string, authorization: string): HttpCase {
  return row(`refuses ${name} in Authorization`, { target: '/api/v1/key', headers: { authorization } }, MALFORMED);
}

const UNKNOWN_KEY = { authorization: 'Bearer sg_unknown_0123456789abcdef' };
const wrongKey: CaseRequest = { target: '/api/v1/key', headers: UNKNOWN_KEY };
const LIMITED = refused(
  429,
  { type: 'rate_limit_error', reason: 'auth_rate_limited' },
  { headers: { 'retry-after': '30', 'www-authenticate': null } },
);

/** Requests from one address, which may fail twice. The row supplies the address, since hosts differ in what they report. */
function fromOneAddress(
  name: string,
  requests: readonly CaseRequest[],
  more: Pick<HttpCase, 'expect' | 'gateway'>,
): HttpCase {
  return {
    name,
    request: requests.at(-1) ?? ask(),
    ...more,
    gateway: (parts) => ({ authFailureLimit: 2, clientAddress: () => '192.0.2.1', ...more.gateway?.(parts) }),
    async before(stage) {
      for (const each of requests.slice(0, -1)) await stage.send(each).response;
      return {};
    },
  };
}

const goodKey: CaseRequest = { target: '/api/v1/key' };

const LIMIT_CASES: readonly HttpCase[] = [
  ...REQUESTS.map((request) =>
    fromOneAddress(
      `limits callers without a valid key on ${request.target}`,
      [wrongKey, wrongKey, { ...request, headers: UNKNOWN_KEY }],
      { expect: LIMITED },
    ),
  ),
  fromOneAddress('counts callers without any key', [{ ...goodKey, key: null }, wrongKey, wrongKey], {
    expect: LIMITED,
  }),
  fromOneAddress('serves a key it has not seen where too many have failed', [wrongKey, wrongKey, goodKey], {
    expect: { status: 200 },
  }),
  fromOneAddress('serves a key it knows where too many have failed', [goodKey, wrongKey, wrongKey, goodKey], {
    expect: { status: 200 },
  }),
  fromOneAddress(
    'does not count a suspended organization',
    [
      { ...goodKey, key: 'suspended' },
      { ...goodKey, key: 'suspended' },
      { ...goodKey, key: 'suspended' },
    ],
    { expect: SUSPENDED },
  ),
  fromOneAddress('serves a caller the host knows where too many have failed', [wrongKey, wrongKey, goodKey], {
    gateway: () => ({
      authenticate: (token) => (token?.startsWith('sg_unknown') ? null : { id: 'ada', organizationId: 'acme' }),
    }),
    expect: { status: 200 },
  }),
];

/** Authentication of callers. */
export const AUTHENTICATION_CASES: readonly HttpCase[] = [
  ...onEveryEndpoint('asks for a key', { key: null }, MISSING),
  ...onEveryEndpoint(
    'refuses an unknown key',
    { headers: { authorization: 'Bearer sg_unknown_0123456789abcdef' } },
    badToken('invalid_api_key'),
  ),
  ...onEveryEndpoint('refuses a revoked key', withKey('revoked'), badToken('revoked_api_key')),
  ...onEveryEndpoint('refuses an expired key', withKey('expired'), badToken('expired_api_key')),
  ...onEveryEndpoint('refuses a suspended organization', withKey('suspended'), SUSPENDED),
  malformed('another scheme', 'Basic c2c6c2c='),
  malformed('a bare token', 'sg_funded_0123456789abcdef'),
  malformed('no token', 'Bearer'),
  malformed('two tokens', 'Bearer sg_funded_0123456789abcdef sg_limited_0123456789abcdef'),
  malformed('a list of tokens', 'Bearer sg_funded_0123456789abcdef, Bearer sg_limited_0123456789abcdef'),
  malformed('more than 512 bytes', `Bearer ${'x'.repeat(506)}`),
  malformed('a character outside of ASCII', 'Bearer sg_f\u00fcnded_0123456789abcdef'),
  {
    name: 'takes the scheme in any case',
    request: { target: '/api/v1/credits', headers: { authorization: 'bEARER sg_funded_0123456789abcdef' } },
    expect: { status: 200 },
  },
  row('asks for a key before it looks at the body', ask({}, { key: null, json: { wrong: true } }), MISSING),
  ...LIMIT_CASES,
];
