import { expect, it } from 'vitest';
import { requestOf } from '../../test/ask-over-http.js';
import { bodyText } from '../../test/body-text.js';
import { KEY, OUTCOME, scripted, start } from '../../test/scripted-gateway.js';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import type { Dialect } from './dialect.js';

/** A form of its own with a JSON body, whose paths with a key have the shape of other paths too. */
function dialect(name: string, path: string, keyPath?: Dialect['keyPath']): Dialect {
  return {
    name,
    path: `/api/v1/${path}`,
    keyPath,
    fields: { read: ['query'], ignored: [], refused: {} },
    nameOf: (field) => field,
    read: (fields) => ({
      fields: { ...fields, model: 'exa/answer' },
      format: { body: () => `"by ${name}"` } as never,
    }),
    describe: () => {
      throw new Error('not described');
    },
  };
}

const gateway = () => {
  const key = { apiKey: KEY, id: 'key', label: 'a', organizationId: 'acme', limit: '1.00' };
  const endpoints = {
    tavily: [dialect('one', 'ask/one/now', '/api/v1/ask/{key}/now'), dialect('two', 'ask/two/now')],
    exa: [dialect('three', 'three', '/api/v1/three/{key}/a/b')],
  };
  const apiKeys = memoryApiKeys([{ ...key, allowedModels: ['exa/answer'] }]);
  return start([scripted('exa', [OUTCOME]).provider], { endpoints, apiKeys }).gateway;
};

it.each([
  ['ask/one/now', 401, '"reason":"missing_api_key"'],
  [`ask/${KEY}/now`, 200, '"by one"'],
  // A path that is served as it stands is no key.
  ['ask/two/now', 401, '"reason":"missing_api_key"'],
  ['ask/{key}/now', 401, '"reason":"missing_api_key"'],
  [`three/${KEY}/a/b`, 200, '"by three"'],
  [`three/${KEY}/a/b/`, 200, '"by three"'],
  [`three/${KEY}/a`, undefined, ''],
  [`three/${KEY}/a/b//`, undefined, ''],
  [`three/${KEY}/x/a/b`, undefined, ''],
  ['three/a/b', undefined, ''],
  [`/three/${KEY}/a/b`, undefined, ''],
])('%s is %s', async (path, status, text) => {
  const body = { query: 'When did it open?' };
  const response = await gateway().handle(requestOf(path, { headers: { authorization: undefined }, body }));
  expect(response?.status).toBe(status);
  expect(bodyText(response)).toContain(text);
});
