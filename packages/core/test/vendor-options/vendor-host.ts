import { createFakeClock } from '@searchgate/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createGateway, type Gateway, memoryApiKeys, memoryLedger } from '../../src/index.js';
import { handleNode } from '../../src/node/index.js';
import * as allProviders from '../../src/providers/index.js';
import { type ExpectedAnswer, expectedAnswers } from '../every-model/expected-answers.js';
import { type Served, send, serve } from '../every-model/serve.js';
import { EXPECTED_FIELDS } from './expected-fields.js';

const KEY = 'a-secret-of-twenty-characters';
export const QUERY = 'When did the “Zephyr Bridge” open?';

/** Every model, with the expected treatment of each option. */
export const models = Object.values(allProviders).flatMap((create) => {
  const { id, models: rows } = create({ apiKey: 'a-key' });
  const replies = expectedAnswers(id);
  return rows.map(({ slug, options = {} }) => {
    const expected = EXPECTED_FIELDS[slug] ?? EXPECTED_FIELDS[id] ?? {};
    if (Object.keys(options).length > 0 && Object.keys(expected).length === 0)
      throw new Error(`what becomes of the options of ${slug}? Say so in vendor-options/expected-fields.ts`);
    return { slug, options, expected, reply: replies.get(slug) };
  });
});

export const providerOf = (slug: string) => slug.slice(0, slug.indexOf('/'));

interface Sent {
  readonly url: URL;
  readonly body: string;
}

type Played = Pick<ExpectedAnswer, 'reply' | 'contentType'> | undefined;

/** A model, and what its vendor replies. */
export interface Asked {
  readonly slug: string;
  readonly reply: Played;
}

/** The body of a request, or its URL parameters without a body. */
export function fieldsOf({ url, body }: Sent): Record<string, unknown> {
  return body === '' ? Object.fromEntries(url.searchParams) : (JSON.parse(body) as Record<string, unknown>);
}

/** A gateway with all vendors for the tests of a file, whose vendors reply what a test says. */
export function vendorHost() {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const sent: Sent[] = [];
  let gateway: Gateway;
  let host: Served;
  let upstream: Served;
  let playing: Played;

  beforeAll(async () => {
    upstream = await serve((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.once('end', () => {
        sent.push({ url: new URL(req.url ?? '', 'http://upstream'), body: Buffer.concat(chunks).toString() });
        const headers = { 'content-type': playing?.contentType, date: new Date(clock.now()).toUTCString() };
        res.writeHead(200, headers).end(playing?.reply);
      });
    });
    gateway = createGateway({
      providers: Object.values(allProviders).map((create) => create({ apiKey: 'a-key', baseUrl: upstream.url })),
      apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]),
      ledger: memoryLedger({ credits: { acme: '10000.00' }, clock }),
      maxAttempts: 1,
      clock,
    });
    host = await serve((req, res) => void handleNode(gateway, { req, res }));
  });

  afterAll(async () => {
    await gateway.close();
    await host.close();
    await upstream.close();
  });

  beforeEach(() => void sent.splice(0));

  function post({ slug, reply }: Asked, fields: object) {
    playing = reply;
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    return send(`${host.url}/api/v1/answer`, headers, JSON.stringify({ model: slug, ...fields }));
  }

  /** The reply, or of a stream its last event. */
  async function askWith(model: Asked, fields: object) {
    const { status, text } = await post(model, fields);
    const last = text.startsWith('event:') ? text.slice(text.lastIndexOf('\ndata: ') + 7) : text;
    return { status, body: JSON.parse(last) as Record<string, unknown> };
  }

  const listed = (slug: string) => gateway.models().find(({ id }) => id === slug);
  const ask = (model: Asked, search?: object) => askWith(model, { query: QUERY, ...(search && { search }) });
  return { sent, ask, askWith, listed, featuresOf: (slug: string) => listed(slug)?.features ?? [] };
}
