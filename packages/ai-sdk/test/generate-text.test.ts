import { generateText, type ModelMessage, Output, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorOf, KEY, MODEL, mountGateway, OUTCOME, QUESTION } from './mounted-gateway.js';

describe('an answer of generateText', () => {
  it('has the text, the sources with their numbers, and the cost', async () => {
    const { searchgate, requests, charged } = await mountGateway();
    const result = await generateText({ model: searchgate(MODEL), prompt: QUESTION });
    const { response, providerMetadata } = result.finalStep;
    const { id } = response;
    expect(id).toMatch(/^ans_/);
    expect(result.text).toBe(OUTCOME.text);
    expect(result.sources).toMatchObject([
      { sourceType: 'url', id: `${id}-1`, url: 'https://example.org/a', title: 'A' },
      { sourceType: 'url', id: `${id}-2`, url: 'https://example.org/b', title: 'B' },
    ]);
    expect(result.sources[0]?.providerMetadata).toEqual({ searchgate: { number: 1, snippet: 'Opened in May.' } });
    expect(providerMetadata).toEqual({ searchgate: { answerId: id, provider: 'exa', cost: 0.01 } });
    expect(result.finishReason).toBe('stop');
    expect(result.usage).toMatchObject({ inputTokens: undefined, outputTokens: undefined });
    expect(response).toMatchObject({ modelId: MODEL, headers: { 'x-request-id': expect.any(String) } });
    expect(result.warnings).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toEqual({ model: MODEL, query: QUESTION });
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(await charged()).toBe('0.01');
  });

  it('names the model behind an alias', async () => {
    const { searchgate } = await mountGateway({ aliases: { fast: MODEL } });
    const { finalStep } = await generateText({ model: searchgate.languageModel('fast'), prompt: QUESTION });
    expect(finalStep.response.modelId).toBe(MODEL);
  });

  it('has neither sources nor markers without citations', async () => {
    const { searchgate } = await mountGateway();
    const result = await generateText({ model: searchgate(MODEL, { includeCitations: false }), prompt: QUESTION });
    expect(result.text).toBe('In May 2021.');
    expect(result.sources).toEqual([]);
  });

  it('is asked with the options of the call in place of the model’s', async () => {
    const { searchgate, requests } = await mountGateway();
    const model = searchgate(MODEL, {
      search: { freshness: 'week' },
      routing: { maxCost: '0.05', sort: 'price', require: ['eu'], fallbackOn: ['error'] },
    });
    const search = { includeDomains: ['example.org'], freshness: 'year' };
    await generateText({
      model,
      prompt: QUESTION,
      headers: { 'X-Tenant': 'acme' },
      providerOptions: { searchgate: { search, includeCitations: true, idempotencyKey: 'order-17' } },
    });
    expect(requests[0]).toMatchObject({
      body: {
        include_citations: true,
        search: { include_domains: ['example.org'], freshness: 'year' },
        routing: { max_cost: '0.05', sort: 'price', require: ['eu'], fallback_on: ['error'] },
      },
      headers: { 'idempotency-key': 'order-17', 'x-tenant': 'acme' },
    });
  });

  it('warns of ignored settings', async () => {
    const { searchgate } = await mountGateway();
    const settings = { temperature: 0, topP: 1, topK: 5, seed: 1, stopSequences: ['.'] };
    const { warnings } = await generateText({
      model: searchgate(MODEL),
      prompt: QUESTION,
      ...settings,
      presencePenalty: 0,
      frequencyPenalty: 0,
      reasoning: 'high',
    });
    expect(warnings?.map((warning) => warning.type === 'unsupported' && warning.feature).toSorted()).toEqual(
      [...Object.keys(settings), 'presencePenalty', 'frequencyPenalty', 'reasoning'].toSorted(),
    );
  });

  it('takes a question in several parts', async () => {
    const { searchgate, requests } = await mountGateway();
    const content = ['When did it open?', 'I mean the bridge.'].map((text) => ({ type: 'text' as const, text }));
    await generateText({ model: searchgate(MODEL), messages: [{ role: 'user', content }] });
    expect(requests[0]?.body['query']).toBe('When did it open?\nI mean the bridge.');
  });
});

describe('an answer in JSON', () => {
  it('is asked for with the schema, and read', async () => {
    const answer = () => Promise.resolve({ ...OUTCOME, text: '{"opened":"2021 [1]"}' });
    const { searchgate, requests } = await mountGateway({ features: ['json_schema'], answer });
    const schema = z.object({ opened: z.string() });
    const { output } = await generateText({
      model: searchgate(MODEL),
      prompt: QUESTION,
      output: Output.object({ schema }),
    });
    expect(output).toEqual({ opened: '2021 [1]' });
    expect(requests[0]?.body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'answer', schema: { type: 'object', properties: { opened: { type: 'string' } } } },
    });
  });

  it('is refused without a schema', async () => {
    const { searchgate, requests } = await mountGateway();
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: QUESTION, output: Output.json() }));
    expect(error).toMatchObject({ name: 'AI_UnsupportedFunctionalityError' });
    expect(requests).toEqual([]);
  });
});

describe('instructions and a limit of the output', () => {
  const features = ['instructions', 'max_output_tokens', 'multi_turn'];

  it('are sent apart from the question', async () => {
    const { searchgate, requests } = await mountGateway({ features });
    const asked = { model: searchgate(MODEL), maxOutputTokens: 10 };
    const { warnings } = await generateText({ ...asked, instructions: 'Be brief.', prompt: QUESTION });
    await generateText({ ...asked, messages: [...SYSTEM, user(QUESTION)], allowSystemInMessages: true });
    await generateText({ model: searchgate(MODEL), instructions: ' ', prompt: QUESTION });
    expect(warnings).toEqual([]);
    const limited = { query: QUESTION, max_output_tokens: 10 };
    expect(requests.map(({ body: { model: _model, ...body } }) => body)).toEqual([
      { ...limited, instructions: 'Be brief.' },
      { ...limited, instructions: 'Be brief.\n\nCite twice.' },
      { query: QUESTION },
    ]);
  });

  it('tell an answer that the limit has ended from a whole answer', async () => {
    const { searchgate } = await mountGateway({
      features,
      answer: ({ maxOutputTokens }) => Promise.resolve({ ...OUTCOME, truncated: maxOutputTokens !== undefined }),
    });
    const reasonOf = async (more: object) =>
      (await generateText({ model: searchgate(MODEL), prompt: QUESTION, ...more })).finishReason;
    expect([await reasonOf({ maxOutputTokens: 10 }), await reasonOf({})]).toEqual(['length', 'stop']);
  });

  it('are refused by the gateway where the model takes none', async () => {
    const { searchgate } = await mountGateway();
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: QUESTION, maxOutputTokens: 10 }));
    const message = expect.stringContaining('max_output_tokens') as string;
    expect(error).toMatchObject({ name: 'AI_APICallError', statusCode: 400, message });
  });
});

describe('a conversation', () => {
  const messages: ModelMessage[] = [user('A?'), { role: 'assistant', content: 'B.' }, user('C?')];

  it('is sent message by message', async () => {
    const { searchgate, requests } = await mountGateway({ features: ['multi_turn'] });
    await generateText({ model: searchgate(MODEL), messages });
    expect(requests[0]?.body).toMatchObject({
      messages: [user('A?'), { role: 'assistant', content: 'B.' }, user('C?')],
    });
    expect(requests[0]?.body).not.toHaveProperty('query');
  });

  it('is refused by the gateway where the model takes none', async () => {
    const { searchgate } = await mountGateway();
    const error = await errorOf(generateText({ model: searchgate(MODEL), messages }));
    expect(error).toMatchObject({ name: 'AI_APICallError', statusCode: 400, isRetryable: false });
  });
});

const user = (content: string): ModelMessage => ({ role: 'user', content });
const SYSTEM = ['Be brief.', 'Cite twice.'].map((content): ModelMessage => ({ role: 'system', content }));
const file: ModelMessage = {
  role: 'user',
  content: [{ type: 'file', data: new Uint8Array([1]), mediaType: 'application/pdf' }],
};
const LATE: ModelMessage[] = [user('A?'), { role: 'system', content: 'Be brief.' }];
const lookUp = tool({ inputSchema: z.object({}), execute: () => 'found' });

describe('generateText refuses without asking the gateway', () => {
  it.each([
    ['system texts amid others', { messages: LATE, allowSystemInMessages: true }, 'system messages amid others'],
    ['a file', { messages: [file] }, 'file parts'],
    ['tools', { prompt: QUESTION, tools: { lookUp } }, 'tools'],
  ] satisfies [string, object, string][])('%s', async (_name, call, named) => {
    const { searchgate, requests } = await mountGateway();
    const error = await errorOf(generateText({ model: searchgate(MODEL), ...call }));
    expect(error).toMatchObject({ name: 'AI_UnsupportedFunctionalityError', message: expect.stringContaining(named) });
    expect(requests).toEqual([]);
  });

  it('a question without text', async () => {
    const { searchgate, requests } = await mountGateway();
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: ' ' }));
    expect(error).toMatchObject({ name: 'AI_InvalidPromptError' });
    expect(requests).toEqual([]);
  });

  it.each([
    ['an unknown option', { searh: {} }, 'searh'],
    ['an unknown search option', { search: { domains: [] } }, 'domains'],
    ['an option of another type', { includeCitations: 'yes' }, 'includeCitations'],
    ['a key that is no header', { idempotencyKey: 'ä' }, 'idempotencyKey'],
  ])('%s', async (_name, searchgateOptions, named) => {
    const { searchgate, requests } = await mountGateway();
    const providerOptions = { searchgate: searchgateOptions };
    const error = await errorOf(generateText({ model: searchgate(MODEL), prompt: QUESTION, providerOptions }));
    expect(error).toMatchObject({ name: 'AI_InvalidArgumentError', message: expect.stringContaining(named) });
    expect(requests).toEqual([]);
  });
});
