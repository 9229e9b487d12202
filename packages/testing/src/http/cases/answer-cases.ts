import { ANSWERED, ask, type HttpCase } from '../http-case.js';
import { QUERIES } from '../stub-provider.js';

/** The body and the charge of an answer. */
export const ANSWER_CASES: readonly HttpCase[] = [
  {
    name: 'answers with citations, and charges the key and its organization',
    request: ask(),
    expect: {
      ...ANSWERED,
      event: {
        endpoint: 'answer',
        keyId: 'funded',
        organizationId: 'acme',
        requestedModel: 'stub/flat',
        model: 'stub/flat',
        provider: 'stub',
        cost: 5_000_000n,
        attempts: 1,
      },
    },
  },
  { name: 'answers with citations when asked to', request: ask({ include_citations: true }), expect: ANSWERED },
  {
    name: 'leaves out citations and their markers when asked to',
    request: ask({ include_citations: false }),
    expect: {
      ...ANSWERED,
      body: '{"id":"<id>","model":"stub/flat","provider":"stub","answer":"It opened in May 2021.","usage":{"cost":0.005}}',
    },
  },
  {
    name: 'names the model that ran, not the alias',
    request: ask({ model: 'fast' }),
    expect: { ...ANSWERED, event: { requestedModel: 'fast', model: 'stub/flat' } },
  },
  {
    name: 'names and charges the fallback that served',
    request: ask({ model: 'stub/fragile', include_citations: false }),
    gateway: () => ({ maxAttempts: 2 }),
    expect: {
      status: 200,
      body: '{"id":"<id>","model":"stub/backup","provider":"stub","answer":"It opened in May 2021.","usage":{"cost":0.002}}',
      charge: { amount: '0.002', model: 'stub/backup' },
      event: { requestedModel: 'stub/fragile', model: 'stub/backup', attempts: 2, cost: 2_000_000n },
    },
  },
  {
    name: 'charges what a dynamic price turned out to be, printed without exponent',
    request: ask({ model: 'stub/metered', include_citations: false }),
    expect: {
      status: 200,
      body: '{"id":"<id>","model":"stub/metered","provider":"stub","answer":"It opened in May 2021.","usage":{"cost":0.000000001}}',
      charge: { amount: '0.000000001', model: 'stub/metered' },
    },
  },
  {
    name: 'charges the markup as well',
    request: ask({ include_citations: false }),
    gateway: () => ({ markup: '1.1' }),
    expect: {
      status: 200,
      body: '{"id":"<id>","model":"stub/flat","provider":"stub","answer":"It opened in May 2021.","usage":{"cost":0.0055}}',
      charge: { amount: '0.0055', model: 'stub/flat' },
    },
  },
  {
    name: 'sends the query to the provider as it was given',
    request: ask({ query: QUERIES.echo, include_citations: false }),
    expect: {
      ...ANSWERED,
      body: `{"id":"<id>","model":"stub/flat","provider":"stub","answer":${JSON.stringify(JSON.stringify(QUERIES.echo))},"usage":{"cost":0.005}}`,
    },
  },
  {
    name: 'gives every request an id of its own, and remembers the caller’s',
    request: ask({}, { headers: { 'x-request-id': 'req_CALLERSOWN' } }),
    expect: {
      ...ANSWERED,
      headers: { 'x-request-id': /^req_(?!CALLERSOWN)/ },
      event: { clientRequestId: 'req_CALLERSOWN' },
    },
  },
];
