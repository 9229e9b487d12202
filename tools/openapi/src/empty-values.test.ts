import { createGateway, memoryLedger, toFetchHandler } from '@searchgate/core';
import { type OpenApiOptions, openApiDocument } from '@searchgate/core/openapi';
import { chatCompletions, responses } from '@searchgate/dialects';
import { fakeProvider } from '@searchgate/testing';
import { expect, it } from 'vitest';
import { CALLS, everyPort } from '../../../packages/testing/test/every-port.js';
import { describedApi } from './described-api.js';

const endpoints = {
  chatCompletions: chatCompletions(),
  responses: responses(),
  ...Object.fromEntries(Object.entries(CALLS).map(([name, { model }]) => [name, { defaultModel: model }])),
} satisfies OpenApiOptions['endpoints'];
const document = openApiDocument({ endpoints });
const api = describedApi(document);
const replies = [{ text: 'In 2021.', citations: [{ url: 'https://example.org/', title: '', snippet: '' }] }];
let keys = 0;
const gateway = createGateway({
  providers: [everyPort, fakeProvider({ id: 'handbook', price: '0.001', replies })],
  ledger: memoryLedger({ credits: { acme: '100' } }),
  authenticate: () => ({ id: `key-${(keys += 1)}`, organizationId: 'acme' }),
  endpoints,
});
const handle = toFetchHandler(gateway);

const model = 'handbook/answer';
const ROWS: readonly (readonly [path: string, schema: string, fields: Record<string, unknown>])[] = [
  ['answer', 'AnswerRequest', { model, query: 'When?' }],
  ['search', 'SearchRequest', CALLS.search],
  ['extract', 'ExtractRequest', CALLS.extract],
  ['rerank', 'RerankRequest', CALLS.rerank],
  ['embeddings', 'EmbeddingsRequest', CALLS.embeddings],
  ['chat/completions', 'ChatCompletionRequest', { model, messages: [{ role: 'user', content: 'When?' }] }],
  ['responses', 'ResponseRequest', { model, input: 'When?' }],
];
const EMPTY = [undefined, null, '', ' ', [], [''], {}, 0, false];

/** The tag, which every path takes, and the named properties of a schema, and those of its objects. */
function placesIn(schema: string): string[][] {
  const { properties } = document.components['schemas']?.[schema] as { properties: Record<string, object> };
  return Object.entries({ tag: {}, ...properties }).flatMap(([name, property]) => [
    [name],
    ...Object.keys('properties' in property ? (property.properties as object) : {}).map((option) => [name, option]),
  ]);
}

async function isTaken(path: string, body: object): Promise<boolean> {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await handle(new Request(`http://localhost/api/v1/${path}`, request));
  return !/"(?:invalid|unsupported)_field"/.test(await response.text());
}

it.each(ROWS)('the gateway and the document take the same empty values at %s', async (path, schema, fields) => {
  const wrong: unknown[] = [];
  for (const [name = '', option] of placesIn(schema))
    for (const value of EMPTY) {
      const body = { ...fields, [name]: option === undefined ? value : { [option]: value } };
      const taken = await isTaken(path, body);
      const described =
        api.schemas.faultsOf(`/components/schemas/${schema}`, JSON.parse(JSON.stringify(body))).length === 0;
      if (taken !== described) wrong.push([name, option, value, { taken, described }]);
    }
  expect(wrong).toEqual([]);
});
