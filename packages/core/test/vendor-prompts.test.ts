import { describe, expect, it } from 'vitest';
import { eventsOf, RECORDED_STREAMS, providerOf as vendorOf } from './recorded-streams.js';
import { RESPONSE_FORMAT } from './vendor-options/expected-json.js';
import { type Body, EXPECTED_PROMPTS, INSTRUCTIONS } from './vendor-options/expected-prompts.js';
import { fieldsOf, models, providerOf, QUERY, vendorHost } from './vendor-options/vendor-host.js';

const { sent, askWith, featuresOf } = vendorHost();
const LIMIT = 40;

const rows = models.map((model) => {
  const expected = EXPECTED_PROMPTS[model.slug] ?? EXPECTED_PROMPTS[providerOf(model.slug)];
  const stream = RECORDED_STREAMS.find((each) => vendorOf(each) === providerOf(model.slug));
  return { ...model, expected, events: expected?.limit && stream ? eventsOf(stream).join('') : '' };
});
const instructed = rows.filter(({ expected }) => expected !== undefined);
const limited = rows.flatMap(({ expected, ...row }) => (expected?.limit ? [{ ...row, ...expected.limit }] : []));

const asJson = (body: unknown) => ({ reply: Buffer.from(JSON.stringify(body)), contentType: 'application/json' });
const jsonOf = (text: string) => JSON.parse(text) as Body;

/** The recorded replies of a model, whole and as a stream, with another end. */
function recorded({ slug, reply, events }: (typeof limited)[number], change: (body: Body) => unknown) {
  const whole = asJson(change(jsonOf(reply!.reply.toString())));
  const lines = events.replaceAll(
    /^data: (\{.*)$/gm,
    (_line, data: string) => `data: ${JSON.stringify(change(jsonOf(data)))}`,
  );
  const stream = { reply: Buffer.from(lines), contentType: 'text/event-stream' };
  return [
    { slug, reply: whole, more: {} },
    { slug, reply: stream, more: { stream: true } },
  ];
}

describe('the instructions of a caller', () => {
  it.each(instructed)('go into the field of $slug alone, behind our own', async ({ slug, reply, expected }) => {
    expect(featuresOf(slug)).toContain('instructions');
    await askWith({ slug, reply }, { query: QUERY });
    expect((await askWith({ slug, reply }, { query: QUERY, instructions: INSTRUCTIONS })).status).toBe(200);
    const [plain, asked, ...more] = sent.map(fieldsOf);
    expect(more).toEqual([]);
    expect(asked).toMatchObject(expected!.instructions);
    const written = JSON.stringify(INSTRUCTIONS).slice(1, -1);
    const [before = '', ...behind] = JSON.stringify(asked).split(written);
    expect(behind).toHaveLength(1);
    // The question, and all else, is as without instructions.
    const field = /,?"(?:instructions|systemPrompt)":""|\{"role":"system","content":""\},|\\n\\n(?=")/;
    expect((before + behind.join('')).replace(field, '')).toBe(JSON.stringify(plain));
  });

  it.each(rows.filter(({ expected }) => expected === undefined))('are refused for $slug unasked', async (model) => {
    expect(featuresOf(model.slug)).not.toContain('instructions');
    const asked = await askWith(model, { query: QUERY, instructions: INSTRUCTIONS });
    expect(asked).toMatchObject({
      status: 400,
      body: { error: { reason: 'unsupported_option', param: 'instructions' } },
    });
    expect(sent).toEqual([]);
  });

  it('are refused by Parallel together with a query if both are too long', async () => {
    const model = rows.find(({ slug }) => slug === 'parallel/responses-low')!;
    const asked = await askWith(model, { query: 'x'.repeat(8_000), instructions: 'y'.repeat(12_001) });
    expect(asked).toMatchObject({ status: 400, body: { error: { reason: 'query_rejected' } } });
    expect(sent).toEqual([]);
  });
});

describe('the limit of a caller', () => {
  it.each(limited)('goes to $slug as a valid limit, never above the operator’s', async ({ slug, reply, ...limit }) => {
    expect(featuresOf(slug)).toContain('max_output_tokens');
    for (const max_output_tokens of [1, LIMIT, 1_000_000])
      await askWith({ slug, reply }, { query: QUERY, max_output_tokens });
    const field = /"(?:max_output_tokens|max_tokens|maxOutputTokens)":([^,}]+)/g;
    const limits = sent.map(({ body }) => Array.from(body.matchAll(field), ([, value]) => Number(value)));
    expect(limits).toEqual([[limit.least], [LIMIT], [limit.most]]);
  });

  it.each(rows.filter(({ expected }) => expected?.limit === undefined))(
    'is refused for $slug unasked',
    async (model) => {
      expect(featuresOf(model.slug)).not.toContain('max_output_tokens');
      const asked = await askWith(model, { query: QUERY, max_output_tokens: LIMIT });
      const error = { reason: 'unsupported_option', param: 'max_output_tokens' };
      expect(asked).toMatchObject({ status: 400, body: { error } });
      expect(sent).toEqual([]);
    },
  );

  it.each(limited)('ends an answer of $slug, which is delivered and charged', async (row) => {
    for (const { more, ...model } of recorded(row, row.form.cut)) {
      const { status, body } = await askWith(model, { query: QUERY, max_output_tokens: LIMIT, ...more });
      expect([status, body['truncated'], body['answer']]).toEqual([200, true, expect.stringContaining('opened')]);
      expect((body['usage'] as { cost: number }).cost).toBeGreaterThan(0);
    }
  });

  it.each(limited)(
    'ends an answer of $slug before its first word, at the cost of the vendor',
    async ({ slug, form }) => {
      for (const stream of [false, true]) {
        const fields = { query: QUERY, max_output_tokens: LIMIT, stream };
        const { status, body } = await askWith({ slug, reply: asJson(form.empty) }, fields);
        expect([status, body['truncated'], body['answer'], body['citations']]).toEqual([200, true, '', []]);
        const { cost } = body['usage'] as { cost: number };
        expect(cost).toBeGreaterThan(0);
        // 100 tokens in and 40 out, of the dearest model.
        expect(cost).toBeLessThan(0.003);
      }
    },
  );

  const telling = limited.flatMap(({ form, ...row }) =>
    form.overflow ? [{ ...row, form, overflow: form.overflow }] : [],
  );

  it.each(telling)('is not confused with another end of an answer of $slug', async ({ overflow, ...row }) => {
    for (const { more, ...model } of recorded(row, overflow)) {
      const { status, body } = await askWith(model, { query: QUERY, max_output_tokens: LIMIT, ...more });
      expect(body).toMatchObject({ error: { reason: 'upstream_invalid_response' } });
      expect(status).toBe('stream' in more ? 200 : 502);
      // After several failures in a row a provider is paused.
      await askWith(row, { query: QUERY });
    }
  });

  it.each(limited)('is told from the operator’s, which fails $slug as before', async (row) => {
    const isTold = row.form.overflow !== undefined;
    for (const { more, ...model } of recorded(row, row.form.cut)) {
      const { body } = await askWith(model, { query: QUERY, ...more });
      expect([body['truncated'], 'error' in body]).toEqual([undefined, isTold]);
    }
  });

  it('ends an answer in JSON, which stays as it is', async () => {
    const text = '{"opened":"2021 [1]';
    const output = [
      { type: 'search_results', results: [{ id: 1, url: 'https://example.org/a', title: 'A', snippet: '' }] },
      { type: 'message', role: 'assistant', status: 'incomplete', content: [{ type: 'output_text', text }] },
    ];
    const reply = asJson({ ...EXPECTED_PROMPTS['perplexity/sonar']!.limit!.form.empty, output });
    const asked = { query: QUERY, max_output_tokens: LIMIT, response_format: RESPONSE_FORMAT };
    const { status, body } = await askWith({ slug: 'perplexity/sonar', reply }, asked);
    expect([status, body['truncated'], body['answer']]).toEqual([200, true, text]);
  });
});
