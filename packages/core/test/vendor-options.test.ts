import { describe, expect, it } from 'vitest';
import { COUNTRIES, LANGUAGES } from '../src/base/search-options/codes.js';
import { supportedOptions } from '../src/base/search-options/option-support.js';
import type { CallContext, Provider, SearchOptions, UpstreamRequest } from '../src/provider-kit/index.js';
import { anthropic, brave, openai, serpapi, tavily, valyu, you, zai } from '../src/providers/index.js';
import { ASKED, type Option } from './vendor-options/expected-fields.js';
import { DATA, EXPECTED_JSON, RESPONSE_FORMAT } from './vendor-options/expected-json.js';
import { CONVERSATION, EXPECTED_MESSAGES } from './vendor-options/expected-messages.js';
import { fieldsOf, models, providerOf, QUERY, vendorHost } from './vendor-options/vendor-host.js';

const OPTIONS = Object.keys(ASKED) as Option[];
const { sent, ask, askWith, listed, featuresOf } = vendorHost();

/** Every text of a request that is long enough to be a prompt. */
function prose(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= QUERY.length && value.includes(' ') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(prose) : [];
}

function refusalOf(param: string, options: readonly string[]) {
  return {
    status: 400,
    body: { error: { reason: 'unsupported_option', param: `search.${param}`, metadata: { options } } },
  };
}

const honored = models.flatMap((model) =>
  (Object.keys(model.expected) as Option[]).map((option) => ({ ...model, option })),
);
const refused = models.flatMap((model) =>
  OPTIONS.filter((option) => model.expected[option] === undefined).map((option) => ({ ...model, option })),
);

describe('a search option', () => {
  it.each(honored)('$option of $slug goes only into the vendor’s field', async ({ option, ...model }) => {
    expect((await ask(model)).status).toBe(200);
    expect((await ask(model, ASKED[option])).status).toBe(200);
    const [plain, asked, ...more] = sent.map(fieldsOf);
    expect(more).toEqual([]);
    expect(asked).toMatchObject(model.expected[option] ?? {});
    expect(plain).not.toMatchObject(model.expected[option] ?? {});
    expect(prose(asked)).toEqual(prose(plain));
  });

  it.each(refused)('$option of $slug is refused without asking the vendor', async ({ option, ...model }) => {
    expect(await ask(model, ASKED[option])).toMatchObject(refusalOf(option, [option]));
    expect(sent).toEqual([]);
  });

  it.each(models)('is listed for $slug if supported', ({ slug, expected }) => {
    const wire = (listed(slug)?.options ?? []).map((option) =>
      option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    expect(wire.sort()).toEqual(Object.keys(expected).sort());
  });
});

describe('an answer in JSON', () => {
  const expectedOf = ({ slug }: { slug: string }) => EXPECTED_JSON[slug] ?? EXPECTED_JSON[providerOf(slug)];
  const able = models.filter((model) => expectedOf(model) !== undefined);
  const others = models.filter((model) => expectedOf(model) === undefined);
  const fields = { query: QUERY, response_format: RESPONSE_FORMAT };

  it.each(able)('of $slug is asked for in the vendor’s form, and keeps its brackets and sources', async ({ slug }) => {
    const { sent: body, reply } = expectedOf({ slug })!;
    const model = { slug, reply: { reply: Buffer.from(JSON.stringify(reply)), contentType: 'application/json' } };
    expect(featuresOf(slug)).toContain('json_schema');
    for (const more of [{}, { stream: true }, { include_citations: false }]) {
      const { status, body: answer } = await askWith(model, { ...fields, ...more });
      expect([status, JSON.parse(String(answer['answer']))]).toEqual([200, DATA]);
      const citations = answer['citations'] as { url: string }[] | undefined;
      expect(citations?.map(({ url }) => url)).toEqual(
        'include_citations' in more ? undefined : ['https://example.org/a'],
      );
    }
    expect(sent).toHaveLength(3);
    for (const request of sent) expect(fieldsOf(request)).toMatchObject(body);
  });

  it.each(able)('of $slug may come in a fence of Markdown', async ({ slug }) => {
    const fenced = JSON.stringify(`\ufeff\`\`\`json\r\n${JSON.stringify(DATA)}\r\n\`\`\`\n`);
    const whole = JSON.stringify(expectedOf({ slug })!.reply);
    const text =
      [JSON.stringify(JSON.stringify(DATA)), JSON.stringify(DATA)].find((form) => whole.includes(form)) ?? '';
    const reply = { reply: Buffer.from(whole.replace(text, () => fenced)), contentType: 'application/json' };
    const { body } = await askWith({ slug, reply }, fields);
    expect(JSON.parse(String(body['answer']))).toEqual(DATA);
  });

  it.each(others)('is refused for $slug without asking the vendor', async (model) => {
    expect(featuresOf(model.slug)).not.toContain('json_schema');
    expect(await askWith(model, fields)).toMatchObject({
      status: 400,
      body: { error: { reason: 'unsupported_option', param: 'response_format' } },
    });
    expect(sent).toEqual([]);
  });

  it.each(models)('of type text is asked of $slug like any answer', async (model) => {
    await ask(model);
    await askWith(model, { query: QUERY, response_format: { type: 'text' } });
    expect(sent[1]).toEqual(sent[0]);
  });
});

describe('a conversation', () => {
  const expectedOf = ({ slug }: { slug: string }) => EXPECTED_MESSAGES[providerOf(slug)];
  const able = models.filter((model) => expectedOf(model) !== undefined);
  const others = models.filter((model) => expectedOf(model) === undefined);

  it.each(able)('goes message by message to the vendor of $slug', async (model) => {
    expect(featuresOf(model.slug)).toContain('multi_turn');
    expect((await askWith(model, { messages: CONVERSATION })).status).toBe(200);
    expect(sent.map(fieldsOf)).toEqual([expect.objectContaining(expectedOf(model) ?? {})]);
  });

  it.each(others)('is refused for $slug without asking the vendor, with models that take it', async (model) => {
    expect(featuresOf(model.slug)).not.toContain('multi_turn');
    const { status, body } = await askWith(model, { messages: CONVERSATION });
    const metadata = { options: ['messages'], models: expect.any(Array) as string[] };
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { reason: 'unsupported_option', param: 'messages', metadata } },
    });
    const named = (body['error'] as { metadata: { models: string[] } }).metadata.models;
    expect(named).toHaveLength(5);
    expect(named.map((slug) => featuresOf(slug).includes('multi_turn'))).not.toContain(false);
    expect(sent).toEqual([]);
  });

  it.each(models)('of one message is asked of $slug as a query is', async (model) => {
    await ask(model);
    await askWith(model, { messages: [{ role: 'user', content: QUERY }] });
    const [query, message, ...more] = sent;
    expect(message).toEqual(query);
    expect(more).toEqual([]);
  });
});

describe('a value that the vendor does not accept', () => {
  const closed = models.flatMap((model) =>
    (['country', 'language'] as const).flatMap((option) => {
      const values = model.options[option]?.values;
      const all = [...(option === 'country' ? COUNTRIES : LANGUAGES)];
      return values === undefined
        ? []
        : [{ ...model, option, values, value: all.find((code) => !values.includes(code)) }];
    }),
  );
  const limited = models.flatMap((model) =>
    (['includeDomains', 'excludeDomains'] as const).flatMap((option) => {
      const max = model.options[option]?.max;
      return max === undefined ? [] : [{ ...model, option: option.replace('D', '_d'), max }];
    }),
  );

  it.each(closed)(
    'is refused: $option $value of $slug, whose list has only real codes',
    async ({ option, value, values, ...model }) => {
      expect(await ask(model, { [option]: value })).toMatchObject(refusalOf(option, [option]));
      const real = option === 'country' ? COUNTRIES : LANGUAGES;
      expect(values.filter((code) => !real.has(code))).toEqual([]);
      expect(sent).toEqual([]);
    },
  );

  it.each(limited)('is refused: more than $max $option of $slug', async ({ option, max, ...model }) => {
    // The recorded reply cites the last domain.
    const domains = [...Array.from({ length: max }, (_, index) => `h${index}.example`), 'example.org'];
    expect(await ask(model, { [option]: domains })).toMatchObject(refusalOf(option, [option]));
    expect((await ask(model, { [option]: domains.slice(1) })).status).toBe(200);
    expect(sent).toHaveLength(1);
  });
});

describe('a provider’s setting for all questions', () => {
  const asks = async (provider: Provider, search?: SearchOptions): Promise<unknown> => {
    const requests: UpstreamRequest[] = [];
    const context: CallContext = {
      upstream: {
        send(request) {
          requests.push(request);
          return Promise.reject(new Error('not here'));
        },
      },
      signal: new AbortController().signal,
    };
    const [model] = provider.models;
    if (model === undefined) throw new Error('no model');
    const call = { model, query: QUERY, ...(search && { search }) };
    await provider.answer!.answer(call, context).catch(() => undefined);
    const [request] = requests;
    return request?.json ?? Object.fromEntries(new URL(request?.url ?? '').searchParams);
  };
  const apiKey = 'a-key';
  const location = (fields: object) => ({ tools: [{ user_location: { type: 'approximate', ...fields } }] });

  it.each([
    [
      'anthropic',
      anthropic({ apiKey, userLocation: { city: 'Paris', country: 'FR' } }),
      location({ city: 'Paris', country: 'FR' }),
      location({ country: 'DE' }),
    ],
    ['brave', brave({ apiKey, country: 'FR' }), { country: 'FR' }, { country: 'DE' }],
    ['openai', openai({ apiKey, country: 'FR' }), location({ country: 'FR' }), location({ country: 'DE' })],
    ['serpapi', serpapi({ apiKey, country: 'fr' }), { gl: 'fr' }, { gl: 'de' }],
    ['valyu', valyu({ apiKey, country: 'FR' }), { country_code: 'FR' }, { country_code: 'DE' }],
    ['you', you({ apiKey, country: 'FR' }), { country: 'FR' }, { country: 'DE' }],
  ])('is sent to %s unless the caller sets the option', async (_id, provider, fixed, wanted) => {
    expect(await asks(provider)).toMatchObject(fixed);
    expect(await asks(provider, { country: 'DE' })).toMatchObject(wanted);
    expect(JSON.stringify(await asks(provider, { country: 'DE' }))).not.toContain('Paris');
  });

  it('removes options that only its default supports: domains at Z.ai', () => {
    const optionsWith = (settings: object) => supportedOptions(zai({ apiKey, ...settings }).models[0]?.options);
    expect(optionsWith({})).toEqual(['includeDomains', 'freshness']);
    expect(optionsWith({ searchEngine: 'search_pro' })).toEqual(['freshness']);
  });

  it('is sent together with the caller’s options', async () => {
    const asked = { includeDomains: ['example.org'] };
    expect(await asks(tavily({ apiKey, country: 'germany', maxResults: 9 }), asked)).toMatchObject({
      country: 'germany',
      max_results: 9,
      include_domains: ['example.org'],
    });
    expect(await asks(you({ apiKey, language: 'EN-GB' }), asked)).toMatchObject({ language: 'EN-GB' });
    expect(await asks(brave({ apiKey, language: 'de' }), { country: 'DE' })).toMatchObject({ language: 'de' });
  });

  it('yields to the caller’s language, sent as the vendor’s tag', async () => {
    expect(await asks(you({ apiKey, language: 'EN' }), { language: 'ja' })).toMatchObject({ language: 'JP' });
  });
});
