import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnswerOptions } from '../src/index.js';
import { KEY, OUTCOME, scripted, start } from './scripted-gateway.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/cache.md'), 'utf8');
const [, LISTED = ''] = /these are equal: (.*?)\. An alias/.exec(PAGE) ?? [];
const messages = ['user', 'assistant', 'user'].map((role, at) => ({ role, content: at === 2 ? 'When?' : 'Before.' }));
const jsonSchema = { name: 'facts', schema: { type: 'object' } };

/** Fields of a call by their wire names, except for the model and the query. */
const FIELDS: Readonly<Record<string, Partial<AnswerOptions>>> = {
  messages: { query: undefined, messages: messages as AnswerOptions['messages'] },
  response_format: { responseFormat: { type: 'json_schema', jsonSchema } },
  instructions: { instructions: 'Be brief.' },
  max_output_tokens: { maxOutputTokens: 9 },
  search: { search: { country: 'DE' } },
  sort: { routing: { sort: 'price' } },
  max_cost: { routing: { maxCost: '0.5' } },
  require: { routing: { require: ['zdr'] } },
  include_citations: { includeCitations: false },
  tag: { tag: 'docs' },
};

describe('the list of what makes a question another one', () => {
  it.each(Object.keys(FIELDS))('in docs/cache.md is right about %s', async (name) => {
    const { provider, calls } = scripted('exa', [{ ...OUTCOME, text: '"Open."' }]);
    const features = ['citations', 'multi_turn', 'json_schema', 'instructions', 'max_output_tokens'] as const;
    const models = provider.models.map((row) => ({ ...row, features, options: { country: { as: 'gl' } } }));
    const { gateway } = start([{ ...provider, models, policies: ['zdr'] }], { cache: { ttlMs: 60_000 } });
    const asked = { apiKey: KEY, model: 'exa/answer', query: 'When?' };
    await gateway.answer(asked);
    await gateway.answer({ ...asked, ...FIELDS[name] });
    expect([name, calls.length > 1]).toEqual([name, LISTED.includes(`\`${name}\``)]);
  });
});
