import type { Reason } from '@searchgate/core';
import type { KeyName } from '../conformance-gateway.js';
import { ask, type CaseRequest, type Expectation, type HttpCase, refused } from '../http-case.js';

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

/** Every endpoint asks the same of its callers. */
const REQUESTS: readonly CaseRequest[] = [
  ask(),
  ...['models', 'credits', 'key'].map((name) => ({ target: `/api/v1/${name}` })),
];

function onEveryEndpoint(name: string, who: Partial<CaseRequest>, expect: Expectation): HttpCase[] {
  return REQUESTS.map((request) => ({ name: `${name} on ${request.target}`, request: { ...request, ...who }, expect }));
}

const withKey = (key: KeyName) => ({ key });

function malformed(name: string, authorization: string): HttpCase {
  return {
    name: `refuses ${name} in Authorization`,
    request: { target: '/api/v1/key', headers: { authorization } },
    expect: MALFORMED,
  };
}

/** Who may come in. */
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
  {
    name: 'asks for a key before it looks at the body',
    request: ask({}, { key: null, json: { wrong: true } }),
    expect: MISSING,
  },
];
