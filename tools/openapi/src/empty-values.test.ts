import { createGateway, memoryLedger, toFetchHandler } from '@searchgate/core';
import { openApiDocument } from '@searchgate/core/openapi';
import { chatCompletions, responses } from '@searchgate/dialects';
import { fakeProvider } from '@searchgate/testing';
import { expect, it } from 'vitest';
import { CALLS, everyPort } from '../../../packages/testing/test/every-port.js';
import { describedApi } from './described-api.js';

const defaults = Object.entries(CALLS).map(([name, { model }]) => [name, { defaultModel: model }]);
const endpoints = { chatCompletions: chatCompletions(), responses: responses(), ...Object.fromEntries(defaults) };
const document = openApiDocument({ endpoints });
const api = describedApi(document);
let keys = 0;
const gateway = createGateway({
  providers: [
    everyPort,
    fakeProvider({ id: 'handbook', price: '0.001', replies: [{ text: 'In 2021.', citations: [] }] }),
  ],
  ledger: memoryLedger({ credits: { acme: '100' } }),
  authenticate: () => ({ id: `key-${(keys += 1)}`, organizationId: 'acme' }),
  endpoints,
});
const handle = toFetchHandler(gateway);

const model = 'handbook/answer';
const EMPTY = [undefined, null, '', ' ', [], [''], {}, 0, false];

async function isTaken(path: string, body: string): Promise<boolean> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const response = await handle(new Request(`http://localhost/api/v1/${path}`, request));
  return !/"(?:invalid|unsupported)_field"/.test(await response.text());
}

it.each<[path: string, schema: string, fields: object]>([
  ['answer', 'AnswerRequest', { model, query: 'When?' }],
  ['search', 'SearchRequest', CALLS.search],
  ['extract', 'ExtractRequest', CALLS.extract],
  ['rerank', 'RerankRequest', CALLS.rerank],
  ['embeddings', 'EmbeddingsRequest', CALLS.embeddings],
  ['chat/completions', 'ChatCompletionRequest', { model, messages: [{ role: 'user', content: 'When?' }] }],
  ['responses', 'ResponseRequest', { model, input: 'When?' }],
])('the gateway and the document take the same empty values at %s', async (path, schema, fields) => {
  const { properties } = (document.components['schemas'] as Record<string, { properties: object }>)[schema]!;
  // Every path takes a tag.
  const bodies = Object.entries({ tag: {}, ...properties }).flatMap(([name, property]) => [
    ...EMPTY.map((value) => ({ [name]: value })),
    ...Object.keys((property as { properties?: object }).properties ?? {}).flatMap((option) =>
      EMPTY.map((value) => ({ [name]: { [option]: value } })),
    ),
  ]);
  for (const change of bodies) {
    const body = JSON.stringify({ ...fields, ...change });
    const faults = api.schemas.faultsOf(`/components/schemas/${schema}`, JSON.parse(body));
    expect([body, faults.length === 0]).toEqual([body, await isTaken(path, body)]);
  }
});
