import { ask, type Expectation, type HttpCase, invalid, refused } from '../http-case.js';

const NOT_OURS: Expectation = { status: 404, by: 'host' };

const FOREIGN_TARGETS = [
  '/',
  '/api/v1',
  '/api/v1/answer/',
  '/api/v1/answers',
  '/api/v1/chat/completions/',
  '/api/v1/completions',
  '/api/v1/openapi.json',
  '/api/v2/answer',
  '/API/V1/answer',
  '/api/v1/%61nswer',
];

function wrongMethod(method: string, target: string, allow: string): HttpCase {
  return {
    name: `refuses ${method} on ${target} for every caller`,
    request: { method, target, key: null },
    expect: refused(405, invalid('method_not_allowed', { metadata: { allow: allow.split(', ') } }), {
      headers: { allow },
    }),
  };
}

/** Which paths are ours, and with which methods. */
export const PATH_CASES: readonly HttpCase[] = [
  ...FOREIGN_TARGETS.map((target) => ({
    name: `leaves POST ${target} to the host`,
    request: ask({}, { target }),
    expect: NOT_OURS,
  })),
  ...['answer', 'chat/completions', 'models', 'credits', 'key'].map((name) => ({
    name: `leaves OPTIONS on ${name} to the host, whose CORS middleware answers it`,
    request: {
      method: 'OPTIONS',
      target: `/api/v1/${name}`,
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    },
    expect: NOT_OURS,
  })),
  {
    name: 'leaves GET /api/v1/openapi.json to the host, unless it is wanted',
    request: { target: '/api/v1/openapi.json' },
    expect: NOT_OURS,
  },
  wrongMethod('GET', '/api/v1/answer', 'POST'),
  wrongMethod('HEAD', '/api/v1/answer', 'POST'),
  wrongMethod('PUT', '/api/v1/answer', 'POST'),
  wrongMethod('GET', '/api/v1/chat/completions', 'POST'),
  wrongMethod('POST', '/api/v1/models', 'GET, HEAD'),
  wrongMethod('DELETE', '/api/v1/credits', 'GET, HEAD'),
  wrongMethod('PATCH', '/api/v1/key', 'GET, HEAD'),
  {
    name: 'answers with a query string it does not need',
    request: { target: '/api/v1/credits?verbose=1' },
    expect: { status: 200, body: '{"total_credits":100,"total_usage":0.02}' },
  },
];
