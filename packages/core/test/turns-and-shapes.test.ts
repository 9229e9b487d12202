import { chatCompletions } from '@searchgate/dialects';
import { describe, expect, it } from 'vitest';
import type { AnswerOutcome, Provider, ProviderQuestion } from '../src/provider-kit/index.js';
import { askOverHttp, requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

const user = (content: string) => ({ role: 'user' as const, content });
const said = (content: string) => ({ role: 'assistant' as const, content });
const EARLIER = [user('Which bridge opened in May?'), said('The Zephyr Bridge [1].')];
const CONVERSATION = [...EARLIER, user('And where is it?')];
const ASKED = { apiKey: KEY, model: 'exa/answer', messages: CONVERSATION };
const SCHEMA = { type: 'object', properties: { camelCase: { type: 'string' } } };
const JSON_FORM = { type: 'json_schema' as const, jsonSchema: { name: 'facts', schema: SCHEMA } };
const IN_JSON = { apiKey: KEY, model: 'exa/answer', query: 'When?', responseFormat: JSON_FORM };
const DATA: AnswerOutcome = { ...OUTCOME, text: '{"opened":"2021 [1]"}' };

/** A provider with all features, whose stream would hand over something else, and the calls that it gets. */
function able(replies: Parameters<typeof scripted>[1] = [OUTCOME], price?: Parameters<typeof scripted>[2]) {
  const { provider } = scripted('exa', replies, price);
  const calls: ProviderQuestion[] = [];
  const features = ['citations', 'streaming', 'multi_turn', 'json_schema', 'instructions', 'max_output_tokens'];
  const models = provider.models.map((model) => ({ ...model, features }));
  const answer: Provider['answer'] = {
    answer(call, context) {
      calls.push(call);
      return provider.answer!.answer(call, context);
    },
    stream: () => Promise.reject(failure('upstream_error')),
  };
  return { calls, provider: { ...provider, models, answer } };
}

/** The same over HTTP as a chat completion. */
async function askChat({ handle }: ReturnType<typeof start>['gateway'], body: object) {
  const response = await handle(requestOf('chat/completions', { body: { model: 'exa/answer', ...body } }));
  return JSON.parse(bodyText(response)) as { choices: [{ message: { content: string; annotations: unknown } }] };
}

describe('a conversation', () => {
  it('is the same call in process, over HTTP and as a chat completion', async () => {
    const exa = able();
    const { gateway } = start([exa.provider], { endpoints: { chatCompletions: chatCompletions() } });
    await gateway.answer(ASKED);
    await askOverHttp(gateway, { body: { query: undefined, messages: CONVERSATION } });
    await askChat(gateway, { messages: CONVERSATION });
    const call = expect.objectContaining({ query: 'And where is it?', earlier: EARLIER }) as ProviderQuestion;
    expect(exa.calls).toEqual([call, call, call]);
  });

  it('shares a cached answer only with the same conversation', async () => {
    const exa = able();
    const { gateway } = start([exa.provider], { cache: { ttlMs: 60_000 } });
    await gateway.answer(ASKED);
    await gateway.answer(ASKED);
    expect(exa.calls).toHaveLength(1);
    await gateway.answer({ ...ASKED, messages: [user('Which tower?'), ...CONVERSATION.slice(1)] });
    await gateway.answer({ ...ASKED, messages: CONVERSATION.slice(2) });
    await gateway.answer({ ...ASKED, responseFormat: JSON_FORM }).catch(() => undefined);
    expect(exa.calls.map(({ earlier, responseFormat }) => [earlier?.[0]?.content, responseFormat?.name])).toEqual([
      ['Which bridge opened in May?', undefined],
      ['Which tower?', undefined],
      [undefined, undefined],
      ['Which bridge opened in May?', 'facts'],
    ]);
  });

  it('is another question under the same idempotency key', async () => {
    const { gateway } = start([able().provider]);
    await gateway.answer({ ...ASKED, idempotencyKey: 'order-17' });
    const other = { ...ASKED, messages: CONVERSATION.slice(2), idempotencyKey: 'order-17' };
    expect(await reasonOf(gateway.answer(other))).toBe('idempotency_key_reused');
  });

  it('reaches no fallback without the feature', async () => {
    const [exa, you] = [able([failure('upstream_auth_failed')]), scripted('you', [OUTCOME])];
    const { gateway } = start([exa.provider, you.provider], { fallbacks: { 'exa/answer': ['you/answer'] } });
    expect(await reasonOf(gateway.answer(ASKED))).toBe('upstream_auth_failed');
    expect(you.calls).toEqual([]);
    expect(await reasonOf(gateway.answer({ ...ASKED, messages: CONVERSATION.slice(2) }))).toBe('answered');
    expect(you.calls).toHaveLength(1);
    expect(await reasonOf(gateway.answer({ ...ASKED, model: 'you/answer' }))).toBe('unsupported_option');
  });

  it('is held with the tokens of its earlier messages', async () => {
    const held: bigint[] = [];
    const rates = { typical: '0.001', ceiling: '0.01', perMillionInputTokens: '3' };
    const reply = async () => {
      held.push((await totals()).held);
      return OUTCOME;
    };
    const { gateway, totals } = start([able([reply], rates).provider]);
    await gateway.answer({ ...ASKED, messages: CONVERSATION.slice(2) });
    const earlier = [user('x'.repeat(3_000)), said('y'.repeat(3_000))];
    await gateway.answer({ ...ASKED, messages: [...earlier, user('Where?')] });
    // A token for each of 6,000 bytes, and 8 for each message, at 3 USD a million. The first answer was charged by the ceiling, which later holds do not follow.
    expect(held[1]! - held[0]!).toBe(18_048_000n);
  });

  it('is in no event and in no line of the log, nor are instructions', async () => {
    const { gateway, events, logged } = start([able([failure('upstream_auth_failed')]).provider]);
    await reasonOf(gateway.answer(ASKED));
    await reasonOf(gateway.answer(IN_JSON));
    await reasonOf(gateway.answer({ ...ASKED, instructions: 'Be a Zephyr.' }));
    await gateway.close();
    const written = JSON.stringify([events, logged], (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    expect(written).not.toMatch(/Zephyr|bridge|camelCase|And where/);
  });
});

describe('instructions and a limit of the output', () => {
  const asked = { apiKey: KEY, model: 'exa/answer', query: 'When?' };
  const cut: AnswerOutcome = { ...OUTCOME, text: 'Open si', citations: [], truncated: true };
  const texts = ['Be brief.', 'Be long.'].map((instructions) => ({ instructions }));
  const given = [...texts, { maxOutputTokens: 8 }, { maxOutputTokens: 9 }];

  it('are the same call in process and over HTTP', async () => {
    const exa = able();
    const { gateway } = start([exa.provider]);
    await gateway.answer({ ...asked, instructions: 'Be brief.', maxOutputTokens: 8 });
    await askOverHttp(gateway, { body: { query: 'When?', instructions: 'Be brief.', max_output_tokens: 8 } });
    const call = expect.objectContaining({ query: 'When?', instructions: 'Be brief.', maxOutputTokens: 8 }) as object;
    expect(exa.calls).toEqual([call, call]);
    await gateway.answer({ ...asked, instructions: null, maxOutputTokens: null });
    expect(Object.keys(exa.calls[2]!)).toEqual(['model', 'query']);
  });

  it('share a cached or a running answer only with the same ones', async () => {
    const [exa, other] = [able(), able()];
    const cached = start([exa.provider], { cache: { ttlMs: 60_000 } });
    for (const more of [{}, ...given, ...given]) await cached.gateway.answer({ ...asked, ...more });
    expect(exa.calls).toHaveLength(5);
    const shared = start([other.provider], { coalescing: {} });
    await Promise.all([{}, ...given, ...given].map((more) => shared.gateway.answer({ ...asked, ...more })));
    expect(other.calls).toHaveLength(5);
  });

  it.each(given)('make another question under the same idempotency key: %j', async (more) => {
    const { gateway } = start([able().provider]);
    await gateway.answer({ ...asked, idempotencyKey: 'order-17' });
    const again = gateway.answer({ ...asked, ...more, idempotencyKey: 'order-17' });
    expect(await reasonOf(again)).toBe('idempotency_key_reused');
  });

  it('give an answer that the limit has ended, from the cache and from a record as well, charged each time', async () => {
    const exa = able([cut, { ...cut, text: '' }]);
    const { gateway, kinds } = start([exa.provider], { cache: { ttlMs: 60_000 } });
    const limited = { ...asked, maxOutputTokens: 8 };
    const first = await gateway.answer({ ...limited, idempotencyKey: 'order-17' });
    expect(first).toMatchObject({ answer: 'Open si', truncated: true, usage: { cost: 0.005 } });
    expect(await gateway.answer({ ...limited, idempotencyKey: 'order-17' })).toEqual(first);
    expect(await gateway.answer(limited)).toMatchObject({ answer: 'Open si', truncated: true });
    for (const _ of [1, 2])
      expect(await gateway.answer({ ...asked, maxOutputTokens: 9 })).toMatchObject({ answer: '', truncated: true });
    expect(exa.calls).toHaveLength(2);
    expect((await kinds()).filter(([kind]) => kind === 'charge')).toHaveLength(4);
  });

  it('leave an answer without a word of the limit where it did not end it', async () => {
    const { gateway } = start([able().provider]);
    expect(await gateway.answer({ ...asked, maxOutputTokens: 9 })).not.toHaveProperty('truncated');
  });

  it.each([
    [{ instructions: ' \n' }, 'instructions', 'must not be empty'],
    [{ instructions: 'x'.repeat(32_001) }, 'instructions', 'must have at most 32000 characters'],
    [{ instructions: 7 }, 'instructions', 'must be a string'],
    [{ max_output_tokens: 0 }, 'max_output_tokens', 'must be at least 1'],
    [{ max_output_tokens: 1.5 }, 'max_output_tokens', 'must be a whole number'],
    [{ max_output_tokens: '9' }, 'max_output_tokens', 'must be a whole number'],
  ])('are refused before money is held: %j', async (more, path, message) => {
    const { gateway, kinds } = start([able().provider]);
    const { status, body } = await askOverHttp(gateway, { body: more });
    const metadata = { issues: [{ path, message }] };
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { reason: 'invalid_field', metadata } } });
    expect(await kinds()).toHaveLength(1);
  });
});

describe('an answer in JSON', () => {
  it('keeps its brackets, whole, from the cache and as a stream', async () => {
    const exa = able([DATA]);
    const { gateway } = start([exa.provider], { cache: { ttlMs: 60_000 } });
    for (const includeCitations of [true, false])
      expect(await gateway.answer({ ...IN_JSON, includeCitations })).toMatchObject({ answer: DATA.text });
    const deltas: unknown[] = [];
    for await (const event of gateway.answerStream({ ...IN_JSON, cache: 'off' }))
      if (event.type === 'delta') deltas.push(event.text);
    expect(deltas).toEqual([DATA.text]);
    expect(exa.calls).toHaveLength(2);
    expect(exa.calls[0]?.responseFormat).toEqual({ name: 'facts', schema: SCHEMA });
  });

  it('keeps its brackets when citations outside of the asked domains are dropped', async () => {
    const citations = [{ url: 'https://other.example/' }, { url: 'https://example.org/a' }];
    const { provider } = able([{ ...DATA, citations }]);
    const options = { includeDomains: { as: 'domains' } };
    const { gateway } = start([{ ...provider, models: provider.models.map((model) => ({ ...model, options })) }]);
    const answer = await gateway.answer({ ...IN_JSON, search: { includeDomains: ['example.org'] } });
    expect(answer).toMatchObject({ answer: DATA.text, citations: [{ url: 'https://example.org/a' }] });
  });

  it.each(
    '```json\n{}\n```|~~~\n{}\n~~~|```JSON a="b"\r\n{}\r\n```\r\n|````\n{}\n````|```\n{}|\ufeff{}|\ufeff```json\n\ufeff{}\n```\n|It is:\n```json\n{}\n```\nDone.'.split(
      '|',
    ),
  )('is read out of what models put around it: %j', async (text) => {
    const { gateway } = start([able([{ ...OUTCOME, text }]).provider]);
    expect(await gateway.answer(IN_JSON)).toMatchObject({ answer: '{}' });
  });

  it.each(['', 'In May [1].', '{"opened":', '```json\nIn May.\n```', '```json\n{}\n```\n```json\n{}\n```', '```'])(
    'that is no JSON charges nothing, and no stream begins: %j',
    async (text) => {
      const { provider } = able([{ ...OUTCOME, text, cost: { reported: 7_000_000n } }]);
      const { gateway, totals, kinds } = start([provider], { maxAttempts: 1 });
      expect(await reasonOf(gateway.answer(IN_JSON))).toBe('upstream_invalid_response');
      const json_schema = { name: 'facts', schema: SCHEMA };
      const body = { stream: true, response_format: { type: 'json_schema', json_schema } };
      const streamed = await askOverHttp(gateway, { body });
      expect(streamed).toMatchObject({ status: 502, body: { error: { reason: 'upstream_invalid_response' } } });
      expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
      expect(await kinds()).toEqual([
        ['grant', 10_000_000_000n],
        ['loss', 7_000_000n],
        ['loss', 7_000_000n],
      ]);
    },
  );

  it('that is nested too deep is no answer', async () => {
    const { gateway } = start([able([{ ...OUTCOME, text: '['.repeat(99_999) + ']'.repeat(99_999) }]).provider]);
    expect(await reasonOf(gateway.answer(IN_JSON))).toBe('upstream_invalid_response');
  });

  it.each(['{}', '[1]', '"[1]"', '7'])('may be any JSON: %s', async (text) => {
    const { gateway } = start([able([{ ...OUTCOME, text }]).provider]);
    expect(await gateway.answer({ ...IN_JSON, includeCitations: false })).toMatchObject({ answer: text });
  });

  it('has no annotations as a chat completion, because nothing in it is a marker', async () => {
    const { gateway } = start([able([DATA]).provider], { endpoints: { chatCompletions: chatCompletions() } });
    const json_schema = { name: 'facts', schema: SCHEMA, strict: false };
    const { choices } = await askChat(gateway, {
      messages: [user('When?')],
      response_format: { type: 'json_schema', json_schema },
    });
    expect(choices[0].message).toMatchObject({ content: DATA.text, annotations: [] });
  });

  it('of a schema that refers to itself is refused', async () => {
    const schema: Record<string, unknown> = {};
    schema['self'] = schema;
    const { gateway } = start([able().provider]);
    const call = gateway.answer({
      ...IN_JSON,
      responseFormat: { type: 'json_schema', jsonSchema: { name: 'a', schema } },
    });
    await expect(call).rejects.toMatchObject({ reason: 'invalid_field', param: 'responseFormat.jsonSchema.schema' });
  });
});
