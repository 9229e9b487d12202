import { ANSWERED, ask, CHECKED, type HttpCase, row } from '../http-case.js';
import { QUERIES } from '../stub-provider.js';

const INSTRUCTED = { model: 'stub/streamed', query: QUERIES.echo, instructions: ' Be brief. ' };

/** The body and the charge of an answer. */
export const ANSWER_CASES: readonly HttpCase[] = [
  row('answers with citations, and charges the key and its organization', ask(), {
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
  }),
  { name: 'answers with citations when asked to', request: ask({ include_citations: true }), expect: ANSWERED },
  row('leaves out citations and their markers when asked to', ask({ include_citations: false }), {
    ...ANSWERED,
    body: '{"id":"<id>","model":"stub/flat","provider":"stub","answer":"It opened in May 2021.","usage":{"cost":0.005}}',
  }),
  row('says what a check of the citations found', ask({ query: QUERIES.checked }), {
    ...ANSWERED,
    body: CHECKED,
  }),
  row('says it without citations too', ask({ query: QUERIES.checked, include_citations: false }), {
    ...ANSWERED,
    body: CHECKED.replace(' [1][2]', '').replace(/"citations":\[.*\],/, ''),
  }),
  row('names the model that ran, not the alias', ask({ model: 'fast' }), {
    ...ANSWERED,
    event: { requestedModel: 'fast', model: 'stub/flat' },
  }),
  {
    ...row('names and charges the fallback that served', ask({ model: 'stub/fragile', include_citations: false }), {
      status: 200,
      body: '{"id":"<id>","model":"stub/backup","provider":"stub","answer":"It opened in May 2021.","usage":{"cost":0.002}}',
      charge: { amount: '0.002', model: 'stub/backup' },
      event: { requestedModel: 'stub/fragile', model: 'stub/backup', attempts: 2, cost: 2_000_000n },
    }),
    gateway: () => ({ maxAttempts: 2 }),
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
    ...row('charges the markup as well', ask({ include_citations: false }), {
      status: 200,
      body: '{"id":"<id>","model":"stub/flat","provider":"stub","answer":"It opened in May 2021.","usage":{"cost":0.0055}}',
      charge: { amount: '0.0055', model: 'stub/flat' },
    }),
    gateway: () => ({ markup: '1.1' }),
  },
  row('sends the query to the provider as it was given', ask({ query: QUERIES.echo, include_citations: false }), {
    ...ANSWERED,
    body: `{"id":"<id>","model":"stub/flat","provider":"stub","answer":${JSON.stringify(JSON.stringify(QUERIES.echo))},"usage":{"cost":0.005}}`,
  }),
  {
    ...row('sends instructions to the provider as they were given', ask({ ...INSTRUCTED, include_citations: false }), {
      status: 200,
      body: `{"id":"<id>","model":"stub/streamed","provider":"stub","answer":"\\" Be brief. \\"","usage":{"cost":0.005}}`,
      charge: { amount: '0.005', model: 'stub/streamed' },
    }),
    onlyAnswer: true,
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
