import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openStage, removePages, spend } from './stage.js';

removePages();

/** Stands for every message of zod's own. */
const ZODS_OWN = 'a message of zod';
beforeAll(() => void z.config({ customError: () => ZODS_OWN }));
afterAll(() => void z.config({ customError: undefined }));

const WRONG = [
  7,
  -1,
  1.5,
  true,
  null,
  '',
  'x',
  'x'.repeat(300),
  [],
  [7],
  {},
  { requests: 0, period_ms: 1.5 },
  { only: 7 },
];

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: { properties?: object } }>> };
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

it('refuses wrong and unknown fields in words of its own', async () => {
  const stage = openStage();
  const key = await spend(stage, 'acme');
  const { json } = await stage.call('operator', 'GET', '/api/v1/openapi.json');
  const messages = new Set<string>();
  for (const [path, operations] of Object.entries((json as { paths: Paths }).paths)) {
    const at = `/api/v1${path
      .replace('keys/{id}', `keys/${key}`)
      .replace('{id}', 'acme')
      .replace(/\{\w+\}/, 'handbook')}`;
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      const names = parameters.flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : []));
      const { properties = {} } = requestBody?.content['application/json']?.schema ?? {};
      const queries = [...names, 'strange'].flatMap((name) =>
        ['', 'x', '-1'].map((value) => ({ query: `${name}=${value}` })),
      );
      const bodies = [...Object.keys(properties), 'strange'].flatMap((name) =>
        WRONG.map((value) => ({ json: { [name]: value } })),
      );
      for (const request of method === 'get' ? queries : [...bodies, ...WRONG.map((value) => ({ json: value }))]) {
        const { status, json: body } = await stage.call('operator', method.toUpperCase(), at, request);
        if (status === 400) messages.add(body.error.message);
      }
    }
  }
  expect([...messages].filter((message) => message.includes(ZODS_OWN))).toEqual([]);
  expect(messages.size).toBeGreaterThan(25);
  const few = ['is no field here', 'is required: a string', 'must be true or false', 'must be "calls" or "attempts"'];
  expect([...messages]).toEqual(expect.arrayContaining(few));
});
