import { answered, ask, badRequest, type CaseRequest, type HttpCase, refused, row } from '../http-case.js';

const USAGE = () => ({ endpoints: { usage: true } });
const NOT_FOUND = refused(404, { type: 'not_found_error', reason: 'answer_not_found' });

function wrong(query: string, param: string, allowed: readonly string[]): HttpCase {
  const metadata = { allowed };
  return {
    name: `refuses /usage?${query}`,
    gateway: USAGE,
    request: { target: `/api/v1/usage?${query}` },
    expect: refused(400, { type: 'invalid_request_error', reason: 'invalid_parameter', param, metadata }),
  };
}

function unsupported(param: string, place?: string): HttpCase {
  const note = place === undefined ? `Leave out ${param}.` : `In place of ${param}, use ${place}.`;
  return {
    name: `refuses ${param} of usage`,
    gateway: USAGE,
    request: { target: `/api/v1/usage?by=day&${param}=2026-01-01` },
    expect: badRequest('unsupported_field', { param, note }),
  };
}

function sums(by: string, body: string, asked: CaseRequest = ask({ model: 'stub/metered', tag: 'team-a' })): HttpCase {
  return {
    name: `sums up the usage of the key by ${by}`,
    gateway: USAGE,
    request: { target: `/api/v1/usage?by=${by}` },
    before: answered(asked),
    expect: { status: 200, body, event: { endpoint: 'usage' } },
  };
}

const TOTAL = '"total":{"requests":1,"cost":0.000000001}}';

/** The paths of the endpoint `usage`. The clock of the kit starts at 2026-01-01T00:00:00Z. */
export const USAGE_CASES: readonly HttpCase[] = [
  sums('day', `{"data":[{"day":"2026-01-01","requests":1,"cost":0.000000001}],${TOTAL}`),
  sums('model', `{"data":[{"model":"stub/metered","requests":1,"cost":0.000000001}],${TOTAL}`),
  sums('budget', `{"data":[{"budget":null,"requests":1,"cost":0.000000001}],${TOTAL}`),
  sums('tag', `{"data":[{"tag":"team-a","requests":1,"cost":0.000000001}],${TOTAL}`),
  {
    name: 'shows no usage of another key',
    gateway: USAGE,
    request: { target: '/api/v1/usage?by=day', key: 'limited' },
    before: answered(ask()),
    expect: { status: 200, body: '{"data":[],"total":{"requests":0,"cost":0}}', event: { keyId: 'limited' } },
  },
  wrong('by=key', 'by', ['day', 'model', 'tag', 'budget']),
  ...'tag Limit timezone api_key_ids[] project_ids user_ids'.split(' ').map((param) => unsupported(param)),
  ...'start_date startDate start-date start_time'.split(' ').map((param) => unsupported(param, 'from')),
  ...'end_time endDate'.split(' ').map((param) => unsupported(param, 'to')),
  ...'group-by bucket_width'.split(' ').map((param) => unsupported(param, 'by')),
  ...'From FROM from[]'.split(' ').map((param) => unsupported(param, 'from')),
  wrong('by=day&from=2025-1-1', 'from', ['a date such as 2026-11-21']),
  { ...row('knows no answer of an unknown id', { target: '/api/v1/answers/ans_unknown' }, NOT_FOUND), gateway: USAGE },
  {
    name: 'refuses to change an answer',
    gateway: USAGE,
    request: { method: 'DELETE', target: '/api/v1/answers/ans_unknown' },
    expect: refused(
      405,
      { type: 'invalid_request_error', reason: 'method_not_allowed', metadata: { allow: ['GET', 'HEAD'] } },
      { headers: { allow: 'GET, HEAD' } },
    ),
  },
  {
    name: 'asks for a key before it says anything of usage',
    gateway: USAGE,
    request: { target: '/api/v1/usage?by=key', key: null },
    expect: refused(401, { type: 'authentication_error', reason: 'missing_api_key' }),
  },
  {
    name: 'leaves /usage to the host where it is not asked for',
    request: { target: '/api/v1/usage?by=day' },
    expect: { status: 404, by: 'host' },
  },
  {
    name: 'leaves /answers to the host where it is not asked for',
    request: { target: '/api/v1/answers/ans_unknown' },
    expect: { status: 404, by: 'host' },
  },
];
