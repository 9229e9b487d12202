import { z } from 'zod';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { SEARCH_COUNTRIES } from '../../provider-kit/countries.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import { modelRows } from '../../provider-kit/model-rows.js';
import type { AnswerAdapter, Provider } from '../../provider-kit/provider.js';
import {
  type Connection,
  commonSettings,
  type ProviderSettings,
  parseProviderSettings,
} from '../../provider-kit/provider-settings.js';
import { assertQueryFits } from '../../provider-kit/query-limit.js';
import { optionalList, optionalText, optionalTexts } from '../../provider-kit/reply-fields.js';

/**
 * The languages of pages, by You.com's tags (TypeScript SDK 343eaad, 2026-03-03, which also names the countries). You.com's page counted 46 languages on
 * 2026-11-20, the SDK has 51: the service may refuse a few (medium confidence).
 */
const YOU_LANGUAGES: readonly string[] =
  'AR BG BN CA CS DA DE EL EN EN-GB ES ET EU FI FR GL GU HE HI HR HU IS IT JP KN KO LT LV ML MR MS NB NL PA PL PT-BR PT-PT RO RU SK SL SR SV TA TE TH TR UK VI ZH-HANS ZH-HANT'.split(
    ' ',
  );

/** You.com's tags by ISO 639-1 code. Tags are the codes in capital letters, except Japanese. */
const TAGS: ReadonlyMap<string, string> = new Map(
  YOU_LANGUAGES.filter((tag) => tag.length === 2).map((tag) => [tag === 'JP' ? 'ja' : tag.toLowerCase(), tag]),
);

/**
 * Options of `/v1/answer` (you.com/docs/guides/answer/search-controls, read 2026-11-22). `freshness` is left out: if the question names a time, You.com
 * searches the wider of the two periods.
 */
const YOU_ANSWER_OPTIONS = {
  includeDomains: { as: 'include_domains' },
  excludeDomains: { as: 'exclude_domains' },
  country: { as: 'country', values: SEARCH_COUNTRIES },
  language: { as: 'language', values: [...TAGS.keys()] },
} as const satisfies OptionSupport;

/** Options of `/v1/research` (you.com/docs/guides/research/source-control, read 2026-11-22), a beta. `freshness` is left out for the same reason. */
const YOU_RESEARCH_OPTIONS = {
  includeDomains: { as: 'source_control.include_domains' },
  excludeDomains: { as: 'source_control.exclude_domains' },
  country: { as: 'source_control.country' },
} as const satisfies OptionSupport;

function youAnswerSearch(search: AskedSearch): object {
  return definedFields({ ...siteOptions(search), language: TAGS.get(search.language ?? '') });
}

function youResearchSearch(search: AskedSearch): object {
  return { source_control: definedFields(siteOptions(search)) };
}

function siteOptions({ includeDomains, excludeDomains, country }: AskedSearch): Record<string, unknown> {
  return { include_domains: includeDomains, exclude_domains: excludeDomains, country };
}

/** Where You.com differs from the common meaning of statuses (you.com/docs, read 2026-11-20). */
const YOU_ERRORS: ErrorTable = [
  // Only the query of a request can be too long. Other 422s are about fields that the adapter sets.
  { status: [400, 422], code: 'string_too_long', reason: 'query_rejected' },
  { status: [400, 422], message: /too long|at most \d+ characters/i, reason: 'query_rejected' },
];

/** The longest `input` (you.com/docs, read 2026-11-20). */
const MAX_INPUT_CHARACTERS = 40_000;

const researchReply = z.object({
  output: z.object({
    content: z.string(),
    sources: optionalList(z.object({ url: optionalText, title: optionalText, snippets: optionalTexts })),
  }),
});

/** Asks `POST /v1/research` and waits for the text (as documented 2026-11-20). */
function youResearch(connection: Connection): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/research',
    authorize: keyHeader('x-api-key'),
    errors: YOU_ERRORS,
    reply: researchReply,
    evidence: 'closed object',
  });
  return {
    async answer({ model, query, search }, context) {
      assertQueryFits(query, MAX_INPUT_CHARACTERS);
      const effort = model.slug.replace('you/research-', '');
      const question = { input: query, research_effort: effort };
      const { body, failure } = await ask({ ...question, ...(search && youResearchSearch(search)) }, context);
      const { content, sources } = body.output;
      // You.com decides whether to search, and only sources prove a search.
      if (!sources.some(({ url }) => url)) throw failure({ detail: 'the answer is not based on a search' });
      return composeAnswer({
        text: content,
        sources: sources.map(({ url, title, snippets }) => ({ url, title, snippet: snippets?.[0] })),
        cost: {},
      });
    },
  };
}

const PRICE = {
  kind: 'flat',
  source: 'https://you.com/docs/administration/billing',
  asOf: '2026-11-20',
  confidence: 'high',
} as const;
const COMMON = {
  features: ['citations', 'deep_research'],
  vendorFeatures: ['structured_output', 'date_filter'],
  options: YOU_RESEARCH_OPTIONS,
  contextLength: null,
};

/** You.com's Answer API. */
const ANSWER = 'you/answer';

/** You.com's answers: one search and a text, and research at four levels of effort. */
const YOU_MODELS = modelRows(COMMON, [
  {
    slug: ANSWER,
    name: 'You.com Answer',
    description: 'One search and a short text, each citation with the words of the page it rests on.',
    prices: [{ ...PRICE, request: '0.005', source: 'https://you.com/docs/additional-resources/changelog/2026/8/5' }],
    features: ['citations'],
    vendorFeatures: ['highlights', 'date_filter', 'safe_search'],
    options: YOU_ANSWER_OPTIONS,
    // Half of the answers take up to 2.7 s according to You.com, but some take tens of seconds (2026-08-05).
    timeoutMs: 30_000,
  },
  {
    slug: 'you/research-lite',
    name: 'You.com Research Lite',
    description: 'A quick look at several sources, for questions that one search does not cover.',
    prices: [{ ...PRICE, request: '0.012' }],
    features: ['citations'],
    vendorFeatures: ['date_filter'],
    // Up to 2 s or up to 10 s: You.com's pages disagree (2026-11-20).
    timeoutMs: 30_000,
  },
  {
    slug: 'you/research-standard',
    name: 'You.com Research',
    description: 'Several steps of searching and reading, with references in the text.',
    prices: [{ ...PRICE, request: '0.05' }],
    // 10 to 30 s according to You.com (2026-11-20).
    timeoutMs: 90_000,
  },
  {
    slug: 'you/research-deep',
    name: 'You.com Research Deep',
    description: 'Slower research that checks its sources against each other.',
    prices: [{ ...PRICE, request: '0.1' }],
    // Up to 120 s according to You.com (2026-11-20).
    timeoutMs: 180_000,
  },
  {
    slug: 'you/research-exhaustive',
    name: 'You.com Research Exhaustive',
    description: 'The longest research in one call, over dozens of sources; takes minutes.',
    prices: [{ ...PRICE, request: '0.45' }],
    // Up to 300 s according to You.com (2026-11-20).
    timeoutMs: 400_000,
  },
]);

interface AnswerOptions {
  readonly maxQueryCharacters: number;
  /** Fields of every request, by You.com's names. The caller's search options replace them. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const page = z.object({
  url: optionalText,
  title: optionalText,
  description: optionalText,
  snippets: optionalTexts,
});

const answerReply = z.object({
  answer: z.string(),
  citations: optionalList(z.object({ source: optionalText, excerpts: optionalTexts })),
  /** The pages that were considered; the text uses only `citations`. */
  results: z
    .object({ web: optionalList(page) })
    .nullish()
    .catch(null),
});

/**
 * Asks `POST /v1/answer` (as documented 2026-11-20). You.com makes one search before it answers, so a reply without citations is an answer too: the search
 * found nothing to cite. Citation markers count the citations, sometimes beyond their end.
 */
function youAnswer(connection: Connection, { maxQueryCharacters, defaults }: AnswerOptions): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/answer',
    authorize: keyHeader('x-api-key'),
    errors: YOU_ERRORS,
    reply: answerReply,
    evidence: 'closed object',
  });
  return {
    async answer({ query, search }, context) {
      assertQueryFits(query, maxQueryCharacters);
      const { body } = await ask({ query, ...defaults, ...(search && youAnswerSearch(search)) }, context);
      const pages = new Map(body.results?.web.map((result) => [addressOf(result.url), result]));
      const sources = body.citations.map(({ source, excerpts }) => {
        const found = pages.get(addressOf(source));
        const quoted = excerpts?.join(' … ') || found?.snippets?.[0] || found?.description;
        return { url: source, title: found?.title, snippet: quoted };
      });
      return composeAnswer({ text: body.answer, sources, cost: {} });
    },
  };
}

/** The address of a page without scheme, `www.`, fragment and final slash, to compare two spellings. */
function addressOf(url: string | null | undefined): string {
  const [address = ''] = (url ?? '').replace(/^https?:\/\/(?:www\.)?/i, '').split('#', 1);
  return address.endsWith('/') ? address.slice(0, -1) : address;
}

export interface YouSettings extends ProviderSettings {
  /** The country that `you/answer` searches from, one of You.com's 36 upper-case country codes (`"DE"`). Default: no country. */
  readonly country?: string | undefined;
  /** The language of the pages `you/answer` searches, one of You.com's upper-case tags (`"EN"`, `"EN-GB"`); not the language of the answer. Default: no language. */
  readonly language?: string | undefined;
  /** The filter of `you/answer` for adult content. Default: You.com's default, `moderate`. */
  readonly safesearch?: 'off' | 'moderate' | 'strict' | undefined;
  /**
   * The longest query of `you/answer`, in characters. A longer query is refused at once. Default 400: the limit of You.com's guide and SDK (2026-08-17,
   * medium confidence: the OpenAPI document has no limit).
   */
  readonly maxQueryCharacters?: number | undefined;
}

const youSettings = z.strictObject({
  ...commonSettings('https://api.you.com', YOU_MODELS),
  country: z.enum(SEARCH_COUNTRIES, `one of ${SEARCH_COUNTRIES.join(', ')}`).optional(),
  language: z.enum(YOU_LANGUAGES, `one of ${YOU_LANGUAGES.join(', ')}`).optional(),
  safesearch: z.enum(['off', 'moderate', 'strict'], 'off, moderate or strict').optional(),
  maxQueryCharacters: z.int('a whole number').min(1, 'at least 1').default(400),
});

/**
 * You.com (you.com). Its rate limit is 10 requests a second at the time of writing. Keys are bound to products: a key without the
 * scope of a model gets `upstream_auth_failed`.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function you(settings: YouSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(youSettings, settings, 'you');
  const { maxQueryCharacters, country, language, safesearch } = options;
  const defaults = definedFields({ country, language, safesearch });
  const plain = youAnswer(connection, { maxQueryCharacters, defaults });
  const research = youResearch(connection);
  return {
    id: 'you',
    name: 'You.com',
    models,
    limits,
    answer: { answer: (call, context) => (call.model.slug === ANSWER ? plain : research).answer(call, context) },
  };
}
