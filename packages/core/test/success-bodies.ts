import { fakeProvider } from '@searchgate/testing';
import { expect } from 'vitest';
import { toFetchHandler } from '../src/http/to-fetch-handler.js';
import { CATEGORIES, createGateway, memoryApiKeys, memoryLedger } from '../src/index.js';
import { exa } from '../src/providers/index.js';
import type { Example } from './type-check-examples.js';

const handbook = fakeProvider({
  id: 'handbook',
  price: '0.001',
  replies: [{ text: 'Yes [1].', citations: [{ url: 'https://example.org/' }] }],
});
const limited = 'a-secret-key-with-a-limit';
const free = 'a-secret-key-without-one';
const ask = { model: 'handbook/answer', query: 'Is it?' };
const CALLS: readonly (readonly [type: string, path: string, apiKey: string, fields?: object])[] = [
  ['AnswerBody', 'answer', limited, ask],
  ['AnswerBody', 'answer', free, { ...ask, include_citations: false }],
  ...CATEGORIES.map((category) => ['ModelsBody', `models?category=${category}`, free] as const),
  ['CreditsBody', 'credits', free],
  ['KeyBody', 'key', limited],
  ['KeyBody', 'key', free],
];

/** The bodies of successes, each as a literal of its exported type. */
export async function successBodies(): Promise<Example[]> {
  const gateway = createGateway({
    providers: [handbook, exa({ apiKey: 'a-key-of-exa' })],
    ledger: memoryLedger({ credits: { acme: '1' } }),
    apiKeys: memoryApiKeys([
      { apiKey: limited, label: 'limited', organizationId: 'acme', limit: '0.5', limitReset: 'daily' },
      { apiKey: free, label: 'free', organizationId: 'acme' },
    ]),
  });
  const handle = toFetchHandler(gateway);
  const examples = CALLS.map(async ([type, path, apiKey, fields], index) => {
    const response = await handle(
      new Request(`http://localhost/api/v1/${path}`, {
        method: fields === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: fields === undefined ? null : JSON.stringify(fields),
      }),
    );
    expect([path, response.status]).toEqual([path, 200]);
    // As a literal, so that TypeScript reports missing and unknown fields, and wrong types.
    const literal = `export const body: ${type} = ${await response.text()};`;
    return { document: type, line: index, code: `import type { ${type} } from '@searchgate/core';\n${literal}` };
  });
  const bodies = await Promise.all(examples);
  await gateway.close();
  return bodies;
}
