import { chatCompletions, responses } from '@searchgate/dialects';
import { describe, expect, it } from 'vitest';
import type { AnswerOutcome, Provider, ProviderQuestion } from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { failure, OUTCOME, scripted, start } from './scripted-gateway.js';

type Features = Provider['models'][number]['features'];
const ABLE: Features = ['citations', 'instructions', 'max_output_tokens'];
const RATES = { typical: '0.001', ceiling: '0.01', perMillionInputTokens: '3' };

/** A provider with these features, and the questions that it gets. */
function provider(id: string, features: Features, replies: Parameters<typeof scripted>[1] = [OUTCOME], price = {}) {
  const { provider: made } = scripted(id, replies, price);
  const asked: Partial<ProviderQuestion>[] = [];
  const answer: Provider['answer'] = {
    answer({ model: _model, ...question }, context) {
      asked.push(question);
      return made.answer!.answer({ model: _model, ...question }, context);
    },
  };
  return { asked, provider: { ...made, models: made.models.map((row) => ({ ...row, features })), answer } };
}

const LENIENT = { instructions: 'prepend', maxOutputTokens: 'ignore' } as const;
const asked = (content: string, system = '') => ({
  messages: Object.entries({ system, user: content }).map(([role, text]) => ({ role, content: text })),
});
const BODY = { ...asked('When?', 'Rhyme.'), max_tokens: 9 };

async function ask(
  { handle }: ReturnType<typeof start>['gateway'],
  body: object,
  path = 'chat/completions',
  headers: Record<string, string> = {},
) {
  return (await handle(requestOf(path, { headers, body: { model: 'exa/answer', query: undefined, ...body } })))?.status;
}

const USUAL = { query: 'When?', instructions: 'Rhyme.', maxOutputTokens: 9 };
const PREPENDED = { query: 'Rhyme.\n\nWhen?' };

describe('a door that is lenient with models without a feature', () => {
  it.each([
    ['a fallback', 'exa/answer', { fallbacks: { 'exa/answer': ['you/answer'] } }],
    ['a group', 'all', { groups: { all: { models: ['exa/answer', 'you/answer'] } } }],
  ])('asks each model of %s in its own way', async (_what, model, options) => {
    const [exa, you] = [provider('exa', ABLE, [failure('upstream_auth_failed')]), provider('you', ['citations'])];
    const { gateway } = start([exa.provider, you.provider], {
      ...options,
      endpoints: { chatCompletions: chatCompletions(LENIENT) },
    });
    expect(await ask(gateway, { ...BODY, model })).toBe(200);
    expect([exa.asked, you.asked]).toEqual([[USUAL], [PREPENDED]]);
  });

  it('asks a model without the features that the host has taken from it', async () => {
    const exa = provider('exa', ABLE);
    const { gateway } = start([exa.provider], {
      models: { 'exa/answer': { features: ['citations'] } },
      endpoints: { chatCompletions: chatCompletions(LENIENT), responses: responses() },
    });
    expect(await ask(gateway, BODY)).toBe(200);
    expect(await ask(gateway, { input: 'When?', instructions: 'Rhyme.' }, 'responses')).toBe(400);
    expect(exa.asked).toEqual([PREPENDED]);
  });

  it('leaves out a model without the feature where the door is strict', async () => {
    const [exa, you] = [provider('exa', ABLE, [failure('upstream_auth_failed')]), provider('you', ['citations'])];
    const { gateway } = start([exa.provider, you.provider], {
      fallbacks: { 'exa/answer': ['you/answer'] },
      endpoints: { chatCompletions: chatCompletions({ maxOutputTokens: 'ignore' }) },
    });
    expect(await ask(gateway, BODY)).toBe(502);
    expect([exa.asked, you.asked]).toEqual([[USUAL], []]);
  });

  it('shares a cached answer only with what asks the models alike', async () => {
    const exa = provider('exa', ['citations']);
    const { gateway } = start([exa.provider], {
      cache: { ttlMs: 60_000 },
      endpoints: { chatCompletions: chatCompletions(LENIENT), responses: responses({ instructions: 'ignore' }) },
    });
    const inResponses = { input: 'When?', instructions: 'Rhyme.' };
    const calls = [
      [{ messages: BODY.messages }, 'chat/completions'],
      [inResponses, 'responses'],
      [{ input: 'When?' }, 'responses'],
    ] as const;
    for (const [body, path] of [...calls, ...calls]) expect(await ask(gateway, body, path)).toBe(200);
    expect(exa.asked).toEqual([PREPENDED, { query: 'When?' }, { query: 'When?' }]);
  });

  it('makes no other question of it under an idempotency key', async () => {
    const exa = provider('exa', ABLE);
    const { gateway } = start([exa.provider], {
      endpoints: { chatCompletions: chatCompletions(LENIENT), responses: responses() },
    });
    const headers = { 'idempotency-key': 'order-17' };
    const inResponses = { input: 'When?', instructions: 'Rhyme.', max_output_tokens: 9 };
    expect(await ask(gateway, BODY, 'chat/completions', headers)).toBe(200);
    expect(await ask(gateway, inResponses, 'responses', headers)).toBe(200);
    expect(exa.asked).toHaveLength(1);
  });

  it('holds what the first paragraph costs, and counts the question alone as its length', async () => {
    const held: bigint[] = [];
    const reply = async (): Promise<AnswerOutcome> => {
      held.push((await totals()).held);
      return OUTCOME;
    };
    const exa = provider('exa', ['citations'], [reply], RATES);
    const { gateway, totals } = start([exa.provider], {
      maxQueryCharacters: 10,
      endpoints: { chatCompletions: chatCompletions(LENIENT) },
    });
    const long = 'x'.repeat(32_000);
    expect(await ask(gateway, asked('When?'))).toBe(200);
    expect(await ask(gateway, asked('When?', long))).toBe(200);
    expect(await ask(gateway, asked('When was it?', long))).toBe(400);
    expect(exa.asked[1]?.query).toBe(`${long}\n\nWhen?`);
    // At least a token for each byte, at 3 USD a million.
    expect(held[1]! - held[0]!).toBeGreaterThanOrEqual(96_006_000n);
  });
});
