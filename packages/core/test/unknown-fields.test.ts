import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { wireName } from '../src/http/wire-name.js';
import { isRequestError, memoryLedger, type RequestError } from '../src/index.js';
import { KINDS } from '../src/kinds/kinds.js';
import type { ModelRow, Provider } from '../src/provider-kit/index.js';
import { answerFieldsSchema } from '../src/request/answer-fields.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { KEY, reasonOf, scripted, start } from './scripted-gateway.js';

function row(slug: string, price: object): ModelRow {
  const source = { source: 'test', asOf: '2026-11-28', confidence: 'high' } as const;
  const facts = { name: slug, description: 'Counts its calls.', features: [], contextLength: null, timeoutMs: 1_000 };
  return { slug, ...facts, prices: [{ kind: 'flat', ...price, ...source }] };
}

/** A provider of everything, which no call of these tests may reach. */
const called = () => Promise.reject(new Error('a provider was called'));
const provider: Provider = {
  ...scripted('exa', [called]).provider,
  search: { models: [row('exa/web', { request: '0.005' })], search: called },
  extract: { models: [row('exa/read', { perPage: '0.001' })], maxUrls: 20, extract: called },
  rerank: { models: [row('exa/sort', { perSearchUnit: '0.002' })], rerank: called },
  embed: { models: [row('exa/turn', { perMillionTokens: '0.02' })], maxInputs: 20, embed: called },
};
const ledger = memoryLedger({ credits: { acme: '10.00' } });
const hold = vi.spyOn(ledger, 'hold');
const { gateway, clock } = start([provider], { ledger, limit: null });
afterAll(() => gateway.close());

/** A good call of each kind, its path, and its function in process. */
const CALLS = {
  answer: { path: 'answer', fields: { model: 'exa/answer', query: 'When?' } },
  search: { path: 'search', fields: { model: 'exa/web', query: 'When?' } },
  extract: { path: 'extract', fields: { model: 'exa/read', urls: ['https://example.org/a'] } },
  rerank: { path: 'rerank', fields: { model: 'exa/sort', query: 'When?', documents: ['In May.'] } },
  embed: { path: 'embeddings', fields: { model: 'exa/turn', input: 'When?' } },
} as const;
type Port = keyof typeof CALLS;

/** @returns the error's `param` and message. */
async function refusedOverHttp(port: Port, more: object): Promise<unknown[]> {
  const { path, fields } = CALLS[port];
  const response = await gateway.handle(requestOf(path, { body: { ...fields, ...more } }));
  const { error } = JSON.parse(bodyText(response)) as { error: Pick<RequestError, 'reason' | 'param' | 'message'> };
  return [response?.status, error.reason, error.param, error.message];
}

async function refusedInProcess(port: Port, more: object): Promise<unknown[]> {
  const call = gateway[port] as (options: object) => Promise<unknown>;
  const error: unknown = await call({ apiKey: KEY, ...CALLS[port].fields, ...more }).catch((caught: unknown) => caught);
  if (!isRequestError(error)) throw error;
  return [error.status, error.reason, error.param, error.message];
}

/** Names that no kind has, and that have no effect. */
const unknownName = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 64 }),
    fc.stringMatching(/^[a-z_]{1,40}$/),
    fc.constantFrom(
      'idempotency_key',
      'policy',
      'webhook_url',
      'deadline',
      'system_prompt',
      'max_tokens',
      'max_result',
    ),
  )
  .filter((name) => !name.startsWith('x_') && !TAKEN.has(name.replaceAll(/[-_]|\[.*$/gs, '').toLowerCase()));
const TAKEN = new Set(
  `model query messages responseformat instructions maxoutputtokens includecitations stream search routing tag maxresults includecontent urls format maxcharacters documents topn
  returndocuments input encodingformat dimensions inputtype user temperature topp topk topa minp seed frequencypenalty presencepenalty
  repetitionpenalty displayservertime apikey idempotencykey cache signal searchdomainfilter searchrecencyfilter searchafterdatefilter
  searchbeforedatefilter country`.split(/\s+/),
);
const value = fc.constantFrom<unknown>(true, 'x', 2, ['x'], { x: 1 });

describe.each(Object.keys(CALLS) as Port[])('an unknown field of %s', (port) => {
  it('is refused by its name, in process and over HTTP, before money is held', async () => {
    const property = fc.asyncProperty(unknownName, value, async (name, given) => {
      const more = Object.fromEntries([[name, given]]);
      // A key with many refused calls is shut out for a while.
      await clock.advance(1_000);
      const expected = [400, 'unsupported_field', name, expect.stringContaining(name)];
      expect(await refusedOverHttp(port, more)).toEqual(expected);
      expect(await refusedInProcess(port, more)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 100 });
    expect(hold).not.toHaveBeenCalled();
  });
});

it('a call of known fields holds money', async () => {
  expect(await reasonOf(gateway.answer({ apiKey: KEY, ...CALLS.answer.fields }))).toBe('upstream_invalid_response');
  expect(hold).toHaveBeenCalledOnce();
});

describe('a wrong name of an option', () => {
  it('of the other transport is refused with the right one', async () => {
    const overHttp = await refusedOverHttp('search', { idempotencyKey: 'order-17' });
    expect(overHttp[3]).toContain('In place of idempotencyKey, use the header Idempotency-Key.');
    const inProcess = await refusedInProcess('search', { idempotency_key: 'order-17', max_results: 5 });
    expect(inProcess[3]).toContain('In place of idempotency_key, use idempotencyKey.');
  });
});

describe.each(Object.keys(CALLS) as Port[])('a wrong value in a call of %s', (port) => {
  const zods = 'a message of zod';
  beforeAll(() => void z.config({ customError: () => zods }));
  afterAll(() => void z.config({ customError: undefined }));

  const format = [7, {}, { type: 7 }, { type: 'json_schema' }, { type: 'json_schema', json_schema: { schema: 7 } }];
  const inside = [7, '', {}, [7], { role: 7 }, { role: 'user' }, { role: 'user', content: [7] }];
  const wrong = [...format, ...inside.flatMap((part) => [[part], [[part]]]), true, -1.5, 1e12, '', 'x'.repeat(50_000)];

  it('is refused in words of ours', async () => {
    const schema = port === 'answer' ? answerFieldsSchema(1_000, 'messages', 'json_schema') : undefined;
    const kind = KINDS[port === 'embed' ? 'embeddings' : (port as Exclude<Port, 'answer' | 'embed'>)];
    const { shape } = schema ?? kind.request.fields(1_000);
    for (const name of [...Object.keys(shape).map(wireName), 'search', 'routing'])
      for (const given of wrong) {
        await clock.advance(60_000);
        const { path, fields } = CALLS[port];
        const response = await gateway.handle(requestOf(path, { body: { ...fields, [name]: given } }));
        expect(bodyText(response)).not.toContain(zods);
        const { query: _query, ...rest } = fields as Record<string, unknown>;
        const alone = await gateway.handle(requestOf(path, { body: { ...rest, [name]: given } }));
        expect(bodyText(alone)).not.toContain(zods);
      }
  });
});
