import { chatCompletions, responses } from '@searchgate/dialects';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Provider, ProviderQuestion } from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { OUTCOME, scripted, start } from './scripted-gateway.js';

const FEATURES = ['citations', 'multi_turn', 'json_schema', 'instructions', 'max_output_tokens'] as const;

/** A question in the fields of `POST /api/v1/answer`. */
const question = fc.record(
  {
    messages: fc.constantFrom(
      [{ role: 'user', content: 'When?' }],
      [
        { role: 'user', content: 'Which?' },
        { role: 'assistant', content: 'This.' },
        { role: 'user', content: 'When?' },
      ],
    ),
    instructions: fc.constantFrom('Be brief.', ' Be\n\nbrief. ', 'x'.repeat(32_000)),
    max_output_tokens: fc.constantFrom(1, 16, Number.MAX_SAFE_INTEGER),
    response_format: fc.constant({ type: 'json_schema', json_schema: { name: 'facts', schema: { type: 'object' } } }),
    search: fc.record({ country: fc.constantFrom('DE', 'us') }),
    include_citations: fc.boolean(),
    tag: fc.constant('docs'),
  },
  { requiredKeys: ['messages'] },
);
type Asked = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

/** The same question in the fields of each door. */
const DOORS: Readonly<Record<string, (asked: Asked) => object>> = {
  answer: (asked) => asked,
  'chat/completions': ({ messages, instructions, max_output_tokens, ...more }) => ({
    ...more,
    messages: [...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]), ...messages],
    max_tokens: max_output_tokens,
  }),
  responses: ({ messages: input, response_format, ...more }) => ({
    ...more,
    input,
    ...(response_format && { text: { format: { type: 'json_schema', ...response_format.json_schema } } }),
  }),
};

it('what a question asks reaches the provider alike by every door', async () => {
  const { provider } = scripted('exa', [{ ...OUTCOME, text: '{"opened":2021}' }]);
  let calls: ProviderQuestion[] = [];
  const answer: Provider['answer'] = {
    answer(call, context) {
      calls.push(call);
      return provider.answer!.answer(call, context);
    },
  };
  const models = provider.models.map((row) => ({ ...row, features: FEATURES, options: { country: { as: 'gl' } } }));
  const { gateway } = start([{ ...provider, models, answer }], {
    limit: null,
    endpoints: { chatCompletions: chatCompletions(), responses: responses() },
  });
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      calls = [];
      for (const [path, fields] of Object.entries(DOORS)) {
        const body = { model: 'exa/answer', query: undefined, ...fields(asked) };
        const response = await gateway.handle(requestOf(path, { body }));
        expect([path, response?.status]).toEqual([path, 200]);
      }
      const [first] = calls;
      expect(calls).toEqual([first, first, first]);
      expect([first?.instructions, first?.maxOutputTokens]).toEqual([asked.instructions, asked.max_output_tokens]);
    }),
    { numRuns: 60 },
  );
});
