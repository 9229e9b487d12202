import { createFakeClock } from '@searchgate/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGateway, formatUsd, type Gateway, memoryApiKeys, memoryLedger, parseUsd } from '../src/index.js';
import { handleNode } from '../src/node/index.js';
import * as allProviders from '../src/providers/index.js';
import { type ExpectedAnswer, expectedAnswers } from './every-model/expected-answers.js';
import { type Reply, type Served, send, serve } from './every-model/serve.js';

const KEY = 'a-secret-of-twenty-characters';
const QUERY = 'When did the “Zephyr Bridge” open?';

/** The date of the expectations, since prices change. */
const clock = createFakeClock(Date.UTC(2026, 10, 21));
const ledger = memoryLedger({ credits: { acme: '1000.00' }, clock });

/** Every model of every provider, from the code. */
const providers = Object.values(allProviders).map((create) => {
  const { id, models } = create({ apiKey: 'a-key' });
  return { id, slugs: models.map(({ slug }) => slug), expected: expectedAnswers(id) };
});
const models = providers.flatMap(({ id, slugs, expected }) =>
  slugs.map((slug) => ({ slug, provider: id, expected: expected.get(slug) })),
);

let gateway: Gateway;
let host: Served;
let upstream: Served;
/** The reply of the upstream. */
let playing: ExpectedAnswer;
let upstreamRequests = 0;
/** All bytes that the gateway's server has received. */
let wire = '';

beforeAll(async () => {
  upstream = await serve((req, res) => {
    upstreamRequests += 1;
    // Some prices depend on the hour in the provider's reply.
    const headers = { 'content-type': playing.contentType, date: new Date(clock.now()).toUTCString() };
    req.resume().once('end', () => res.writeHead(200, headers).end(playing.reply));
  });
  gateway = createGateway({
    providers: Object.values(allProviders).map((create) => create({ apiKey: 'a-key', baseUrl: upstream.url })),
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: '500.00' }]),
    ledger,
    clock,
  });
  host = await serve(
    (req, res) => void handleNode(gateway, { req, res }),
    (bytes) => (wire += bytes.toString()),
  );
});

afterAll(async () => {
  await gateway.close();
  await host.close();
  await upstream.close();
});

beforeEach(() => {
  upstreamRequests = 0;
  wire = '';
});

/** The caller's one request. */
function ask(slug: string, fields: object = {}): Promise<Reply> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  return send(`${host.url}/api/v1/answer`, headers, JSON.stringify({ model: slug, query: QUERY, ...fields }));
}

/** The key's usage in `GET /api/v1/key`, exact to the nanodollar: a number could be rounded. */
async function keyUsage(): Promise<bigint> {
  const { text } = await send(`${host.url}/api/v1/key`, { authorization: `Bearer ${KEY}` });
  return parseUsd(/"usage":([\d.]+)/.exec(text)?.[1] ?? 'missing');
}

async function charges() {
  const { entries } = await ledger.entries({ keyId: 'key', limit: 1_000 });
  return entries;
}

function play(expected: ExpectedAnswer | undefined): ExpectedAnswer {
  if (expected === undefined)
    throw new Error('no answer of this model is expected: add it to fixtures/expected-answers.json of its provider');
  playing = expected;
  return expected;
}

/** `[n]` outside of link texts. */
function markersIn(text: string): number[] {
  return [...text.matchAll(/\[(\d+)\](?!\()/g)].map(([, number]) => Number(number));
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': expect.stringMatching(/^\d+$/),
  'cache-control': 'no-store',
  'x-request-id': expect.stringMatching(/^req_\w+$/),
  'x-content-type-options': 'nosniff',
  'server-timing': expect.stringMatching(/^gateway;dur=\d+\.\d, upstream;dur=\d+\.\d$/),
  date: expect.any(String),
  connection: 'keep-alive',
  'keep-alive': 'timeout=5',
};
/** The only part of a body that differs from call to call. */
const ID = /(?<="id":")ans_\w+/;

interface ListedRow {
  readonly id: string;
  readonly pricing: Readonly<Record<string, string>>;
  readonly included_results: number | null;
  readonly result_step: number | null;
}

it('lists only decimals as text among prices, and counts of results beside them', async () => {
  const { text } = await send(`${host.url}/api/v1/models`, { authorization: `Bearer ${KEY}` });
  const { data } = JSON.parse(text) as { data: ListedRow[] };
  expect(data.length).toBeGreaterThan(100);
  const isRight = ({ pricing: { unit, ...prices }, included_results, result_step }: ListedRow) => {
    const written = Object.values(prices);
    const areCounted = prices['per_result'] !== undefined;
    return (
      unit === 'USD' &&
      written.length > 0 &&
      written.every((price) => /^(?:-1|\d+(?:\.\d{1,9})?)$/.test(price)) &&
      [included_results, result_step].every((count) => areCounted === (typeof count === 'number'))
    );
  };
  expect(data.filter((row) => !isRight(row))).toEqual([]);
  expect(data.find(({ id }) => id === 'firecrawl/search')).toMatchObject({ included_results: 10, result_step: 10 });
  expect(data.find(({ id }) => id === 'exa/auto')).toMatchObject({ included_results: 10, result_step: 1 });
});

describe('every answer model', () => {
  it.each(models)('$slug gives answer, citations and cost, and is charged to the nano', async ({ slug, ...model }) => {
    const { answer, citations, cost, costSource } = play(model.expected);
    const [usage, { length: chargesBefore }] = [await keyUsage(), await charges()];

    const { status, headers, text } = await ask(slug);

    expect({ status, headers }).toEqual({ status: 200, headers: HEADERS });
    const fields = JSON.stringify({ id: 'ans', model: slug, provider: model.provider, answer, citations });
    expect(text.replace(ID, 'ans')).toBe(`${fields.slice(0, -1)},"usage":{"cost":${formatUsd(cost)}}}`);
    expect(upstreamRequests).toBe(1);
    expect((await keyUsage()) - usage).toBe(cost);
    expect((await charges()).slice(chargesBefore)).toEqual([
      expect.objectContaining({ kind: 'charge', amount: cost, costSource, model: slug, provider: model.provider }),
    ]);
  });

  it.each(models)('$slug leaves no citation marker without citations', async ({ slug, ...model }) => {
    const { answerWithoutCitations: answer, citations, cost } = play(model.expected);

    const { status, headers, text } = await ask(slug, { include_citations: false });

    expect({ status, headers }).toEqual({ status: 200, headers: HEADERS });
    const fields = JSON.stringify({ id: 'ans', model: slug, provider: model.provider, answer });
    expect(text.replace(ID, 'ans')).toBe(`${fields.slice(0, -1)},"usage":{"cost":${formatUsd(cost)}}}`);
    expect(markersIn(answer).filter((number) => number >= 1 && number <= citations.length)).toEqual([]);
  });

  it('is replaced by changing only the slug in the request', async () => {
    const requests = new Set<string>();
    for (const { slug, expected } of models) {
      play(expected);
      wire = '';
      expect((await ask(slug)).status).toBe(200);
      const length = (_: string, bytes: string) => `content-length: ${Number(bytes) - slug.length}`;
      requests.add(wire.replace(`"${slug}"`, '"the slug"').replace(/content-length: (\d+)/i, length));
    }
    expect([...requests]).toEqual([expect.stringContaining(`{"model":"the slug","query":"${QUERY}"}`)]);
  });

  it.each(providers)('has no expectation for a missing model of $id', ({ slugs, expected }) => {
    expect([...expected.keys()].filter((slug) => !slugs.includes(slug))).toEqual([]);
  });
});
