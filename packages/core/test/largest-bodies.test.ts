import { chatCompletions, responses } from '@searchgate/dialects';
import { expect, it } from 'vitest';
import { cohere, exa, openai } from '../src/providers/index.js';
import { bodyText } from './body-text.js';
import { KEY, start } from './scripted-gateway.js';

// The limits of values and keys must not refuse what the fields of a call may be. Only the model is wrong here.

const many = <T>(count: number, each: (at: number) => T) => Array.from({ length: count }, (_, at) => each(at));
/** A JSON Schema of 16 KiB with as many keys or values as fit. */
const keys = { a: many(590, () => ({ b: { '': { '': { '': {} } } } })) };
const values = { a: many(8_180, () => 0) };
const format = (schema: object) => ({ type: 'json_schema', json_schema: { name: 'a', schema } });
const search = { include_domains: many(20, (at) => `${at}.example.org`), freshness: 'day' };
const turns = many(31, (at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: 'x'.repeat(200) }));
const inParts = (type: string) => turns.map((each) => ({ ...each, content: many(50, () => ({ type, text: 'x' })) }));
const metadata = Object.fromEntries(many(8, (at) => [`field${at}`, '"[{:,']));

const BODIES: readonly (readonly [what: string, path: string, body: object])[] = [
  ['a conversation with a schema of many keys', 'answer', { messages: turns, search, response_format: format(keys) }],
  ['a schema of many values', 'answer', { query: 'Q', response_format: format(values) }],
  ['1,000 documents', 'rerank', { query: 'Q', documents: many(1_000, () => 'x'.repeat(1_000)) }],
  [
    '1,000 documents with 8 other fields',
    'rerank',
    { query: 'Q', documents: many(1_000, () => ({ text: 'x', ...metadata })) },
  ],
  ['2,048 texts', 'embeddings', { input: many(2_048, () => 'x'.repeat(480)) }],
  ['messages in parts', 'chat/completions', { messages: inParts('text') }],
  ['messages in parts', 'responses', { input: inParts('input_text') }],
];

it.each(BODIES)('%s at /%s is no body of too many values', async (_what, path, body) => {
  const settings = { apiKey: 'a-key' };
  const { gateway } = start([exa(settings), cohere(settings), openai(settings)], {
    endpoints: { chatCompletions: chatCompletions(), responses: responses() },
  });
  const headers: Record<string, string> = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  for (const indent of [0, 1]) {
    const bytes = Buffer.from(`\ufeff${JSON.stringify({ model: 'no/such', ...body }, null, indent)}`);
    const readBody = () => ({ bytes });
    const header = (name: string) => headers[name];
    const to = { method: 'POST', path: `/api/v1/${path}`, query: '', disconnected: false };
    const response = await gateway.handle({ ...to, header, readBody });
    expect(bodyText(response)).toContain('model_not_found');
  }
});
