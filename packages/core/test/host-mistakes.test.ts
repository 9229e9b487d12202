import { fakeProvider } from '@searchgate/testing';
import { afterAll, expect, it, vi } from 'vitest';
import { createAdministration } from '../src/admin/index.js';
import { createGateway, memoryApiKeys, memoryLedger, toFetchHandler } from '../src/index.js';
import { memoryAuditLog, memoryRequestLog } from '../src/ledger/index.js';
import { exa } from '../src/providers/index.js';

const log = memoryRequestLog();
const KEY = 'a-secret-of-twenty-characters';
const ledger = memoryLedger();
const apiKeys = memoryApiKeys([{ apiKey: KEY, label: 'ci', organizationId: 'acme' }]);
const logger = { warn: () => undefined, error: vi.fn<(fields: object, message: string) => void>() };
const create = (options: object) => createGateway({ providers: [fakeProvider()], ledger, apiKeys, logger, ...options });
const gateway = create({});
afterAll(() => gateway.close());

it.each<[build: () => unknown, message: string]>([
  [() => exa({ key: 'a' } as never), 'exa.key: found an unknown option, expected one of apiKey, '],
  [() => exa({ key: 'a' } as never), 'Did you mean "apiKey"?'],
  [() => exa({ EXA_API_KEY: 'a' } as never), 'Did you mean "apiKey"?'],
  [() => exa({ apiKey: 'a', url: 'https://a' } as never), 'Did you mean "baseUrl"?'],
  [() => exa({ apiKey: 'a', models: ['exa/answer'] }), 'Did you mean "answer"?'],
  [
    () => exa({ apiKey: '"sk-abc"' }),
    'exa.apiKey: found a string (not shown), expected a key without spaces, line ends or quotes',
  ],
  [() => exa({ apiKey: 'a', headers: 'x-key: sk-abc' } as never), 'exa.headers: found a string (not shown), expected'],
  [() => exa('sk-of-sixteen-or-more' as never), 'exa: found a string (not shown), expected an object with apiKey.'],
  [
    () => create({ providers: ['sk-of-sixteen-or-more'] }),
    'providers[0]: found a string (not shown), expected a provider',
  ],
  [() => create({ fallbacks: { fake: [] } }), 'fallbacks["fake"]: found "fake", expected the slug of'],
  [
    () => create({ fallbacks: { 'fake/answer': ['answr'] } }),
    'fallbacks["fake/answer"][0]: found "answr", expected the slug of',
  ],
  [() => create({ groups: { a: { models: ['answer'] } } }), 'Did you mean "fake/answer"?'],
  [() => create({ aliases: { a: 'fake' } }), 'Did you mean "fake/answer"?'],
  [() => create({ endpoints: { search: { defaultModel: 'fake' } } }), 'Did you mean "fake/search"?'],
  [() => create({ keys: apiKeys }), 'Did you mean "apiKeys"?'],
  [() => create({ ledger: Promise.resolve(ledger) }), 'ledger: found a Promise, which has to be awaited, expected'],
  [() => create({ requestLog: log }), 'requestLog: found the log itself, expected an object such as { log: … }.'],
  [
    () => create({ requestLog: ledger }),
    'requestLog: found an object with grant, adjust, hold, admit, ratesUsed, …, expected one with',
  ],
  [
    () => create({ requestLog: { log: ledger } }),
    'requestLog.log: found an object, expected a log such as ledger.requests or',
  ],
  [() => createGateway(ledger as never), 'options: found the ledger itself, expected an object such as { ledger: … }.'],
  [() => createAdministration(ledger as never), 'createAdministration: found the ledger itself'],
  [
    () => createAdministration({ ledger, requestLog: { log } } as never),
    'expected the log itself, such as ledger.requests',
  ],
  [() => memoryLedger('25.00' as never), 'memoryLedger: found "25.00", expected an object such as { credits: {'],
])('%s: the error says %j', (build, message) => {
  expect(build).toThrow(message);
});

const caller = { id: 'ci', organizationId: 'acme' };
const ask = (options: object | undefined) => gateway.answer(options as never);

it.each<[options: object | undefined, reason: string, message: string]>([
  [undefined, 'missing_api_key', 'give the option apiKey: a token, or { id, organizationId }.'],
  [{ apiKey: '' }, 'missing_api_key', 'give the option apiKey'],
  [{ apiKey: { id: 'a', organization: 'b' } }, 'hook_failed', 'In apiKey, organization: found an unknown field'],
  [{ apiKey: caller, query: 'a' }, 'invalid_field', 'model is required: a string'],
  [{ apiKey: caller, model: 'fake/answer', routing: { maxCost: 1 } }, 'invalid_field', 'routing.maxCost must be'],
  [{ apiKey: caller, model: 'fake', query: 'a' }, 'model_not_found', 'Did you mean "fake/answer"?'],
  [{ apiKey: caller, model: 'gpt', query: 'a' }, 'model_not_found', 'GET /api/v1/models lists all.'],
  [{ apiKey: caller, model: 'fake/search', query: 'a' }, 'model_category_mismatch', 'send it to /api/v1/search.'],
])('a call in process with %j is refused: %s, %j', async (options, reason, message) => {
  const refused = expect.objectContaining({ reason, message: expect.stringContaining(message) });
  await expect(ask(options)).rejects.toEqual(refused);
});

async function post(body: string, use: (request: Request) => unknown = () => undefined) {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const request = new Request('http://host/api/v1/answer', { method: 'POST', headers, body });
  await use(request);
  const { error } = (await (await toFetchHandler(gateway)(request)).json()) as { error: Record<string, unknown> };
  return `${error['reason'] as string} ${error['retryable'] as boolean} ${error['message'] as string}`;
}

it.each([
  ['', /^malformed_json .* It is empty\.$/],
  ['[]', /It is JSON, but no object\.$/],
  ['{model}', /It is not JSON in UTF-8\.$/],
  ['{}', /^invalid_field .* model is required: a string such as "exa\/answer"\. query is required: a string\.$/],
  [
    '{"model":"fake/answer","query":"a","search":{"published_after":"2026-01-01"}}',
    /The field is search\.published_after\. Leave out published_after\.$/,
  ],
])('the body %s is refused with words', async (body, words) => {
  expect(await post(body)).toMatch(words);
});

it.each([
  ['read', (request: Request) => request.text()],
  ['locked', (request: Request) => void request.body?.getReader()],
])('a body that the host has %s is a failure of the host, logged and not retryable', async (_how, use) => {
  expect(await post('{}', use)).toMatch(/^hook_failed false .* mount the gateway before the body parser/);
  expect(logger.error).toHaveBeenLastCalledWith(expect.anything(), 'the host left nothing of a request body');
});

it('an administration with logs has them in its type', async () => {
  const { requests, changes, as } = createAdministration({
    ledger,
    apiKeys,
    requestLog: log,
    auditLog: memoryAuditLog(),
  });
  expect((await requests.find({})).rows).toEqual((await as('ada').requests.find({})).rows);
  expect((await changes.find({})).records).toEqual([]);
});
