import { z } from 'zod';
import type { PageScope } from '../base/search-options/page-scope.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import { askedFor } from '../catalog/units.js';
import type { ProviderSearch, SearchResult } from '../provider-kit/provider.js';
import { filterAddresses } from '../text/address-filter.js';
import { hasWords } from '../text/has-words.js';
import { boundText, dayOf, pageTitle, webAddress } from '../text/page-fields.js';
import { MAX_CONTENT_CHARACTERS, MAX_SNIPPET_CHARACTERS } from '../text/reply-limits.js';
import type { AnswerCitation, AnswerHead } from './answer/answer-listener.js';
import type { ModelCallOptions } from './call-options.js';
import { countField, invalidFields, modelField, queryField, switchField, tagField } from './fields.js';
import foreignNames from './foreign-names/search.json' with { type: 'json' };
import { isObject, type Kind, requireOutcome } from './kind.js';
import { PERPLEXITY_FILTERS, withPerplexityFilters } from './perplexity-filters.js';
import { type Charged, charges, head, text, wholeNumber } from './reply-schemas.js';

/** What is searched for. */
export type SearchInput = Pick<ProviderSearch, 'query' | 'maxResults' | 'includeContent' | 'maxContentCharacters'>;

/** Results of a call where the caller names no number. */
export const DEFAULT_MAX_RESULTS = 10;
/** Most results that a caller may ask for. */
const MAX_RESULTS = 100;

const foundPage = z
  .strictObject({
    title: text('The title of the page, or its host name.'),
    url: text('The address of the page.'),
    snippet: text('A description or the passages that match; may be empty.'),
    content: z
      .string()
      .nullable()
      .describe('The text of the page with `"include_content": true`, where the provider has it.'),
    date: z.iso.date().nullable().describe('The day of publication, where it is known.'),
    last_updated: z.iso.date().nullable().describe('The day of the last change, where it is known.'),
    score: z.number().nullable().describe('As the provider says it: comparable inside one reply only.'),
  })
  .describe('A page that was found.');
/** A result as callers see it. Written out, so that declarations of clients need no zod. */
export interface FoundPage extends AnswerCitation {
  readonly content: string | null;
  readonly date: string | null;
  readonly last_updated: string | null;
  readonly score: number | null;
}

/** A call in process. */
export interface SearchCallOptions extends ModelCallOptions {
  /** Slug of a search model, an alias or a group. @default `endpoints.search.defaultModel` */
  readonly model?: string | undefined;
  /** As for answers. */
  readonly query: string;
  /** 1 to 100. Above 10, models that give fewer are refused with `unsupported_option`. @default 10 */
  readonly maxResults?: number | null | undefined;
  /** Whether the text of each page is wanted; models with the feature `content` can. @default `false` */
  readonly includeContent?: boolean | null | undefined;
  /** The longest `content`, 1 to 200,000 characters; longer ones are cut. Only with `includeContent`. @default 200,000 */
  readonly maxContentCharacters?: number | null | undefined;
  /** As for answers. @default no limits */
  readonly search?: SearchOptions | null | undefined;
}

/** The reply of `POST /search`, the same in process. */
export interface SearchReply extends AnswerHead {
  readonly object: 'search';
  /** In the vendor's order; an empty list where nothing was found. */
  readonly results: readonly FoundPage[];
  /** `cost`: USD, what was charged. */
  readonly usage: { readonly results: number } & Charged;
}

function fields(maxQueryCharacters: number) {
  return z.object({
    model: modelField('search', 'exa/auto'),
    query: queryField(maxQueryCharacters).meta({
      description: `The query: one text of at most ${maxQueryCharacters} characters.`,
    }),
    maxResults: countField(1, MAX_RESULTS)
      .transform((count) => count ?? DEFAULT_MAX_RESULTS)
      .describe(`The most results that are wanted. Default: ${DEFAULT_MAX_RESULTS}.`),
    includeContent: switchField().describe('Whether the text of each page is wanted. Default: false.'),
    maxContentCharacters: countField(1, MAX_CONTENT_CHARACTERS)
      .transform((count) => count ?? undefined)
      .describe(`The longest text of a page, in characters; only with the text. Default: ${MAX_CONTENT_CHARACTERS}.`),
    tag: tagField(),
  });
}

function replySchema() {
  return z
    .strictObject({
      object: z.literal('search'),
      ...head,
      results: z.array(foundPage).describe("In the provider's order. Each address comes once."),
      usage: z.strictObject({ results: wholeNumber, ...charges }),
    })
    .describe('What a search found.');
}

/** `POST /search`. Results that callers cannot use are dropped; an empty list is a result too. */
export const searchKind: Kind<z.output<ReturnType<typeof fields>>, SearchInput, readonly FoundPage[], SearchReply> = {
  category: 'search',
  port: 'search',
  paths: ['/api/v1/search'],
  idPrefix: 'sch',
  operation: {
    operationId: 'search',
    summary: 'Find pages',
    description: 'Finds pages for a query. A search without results is a success with an empty list.',
  },
  request: {
    hasSearch: true,
    fields,
    foreignNames,
    translated: Object.keys(PERPLEXITY_FILTERS),
    translate: withPerplexityFilters,
    inputOf({ query, maxResults, includeContent, maxContentCharacters }, { nameOf }) {
      if (maxContentCharacters !== undefined && !includeContent)
        throw invalidFields([{ path: nameOf('maxContentCharacters'), message: `needs ${nameOf('includeContent')}` }]);
      return { query, maxResults, includeContent, maxContentCharacters };
    },
  },
  reply: {
    name: 'Search',
    schemas: () => ({ Search: replySchema(), FoundPage: foundPage }),
    example: {
      object: 'search',
      id: 'sch_01M7YFX2222TA0797FDHDYZR0C',
      model: 'exa/auto',
      provider: 'exa',
      results: [
        {
          title: 'Zephyr Bridge opens',
          url: 'https://example.org/zephyr',
          snippet: 'Opened on 14 May…',
          content: null,
          date: '2021-05-14',
          last_updated: null,
          score: 0.87,
        },
      ],
      usage: { results: 1, cost: 0.007 },
    },
  },
  hasFallbacks: true,
  pages: 'found',
  smallest: { results: 1 },
  async ask({ id, search: port }, { model, input, search, scope }, context) {
    if (port === undefined) throw new Error(`the provider ${id} has no search`);
    const maxResults = Math.min(input.maxResults, model.maxResults ?? DEFAULT_MAX_RESULTS);
    const outcome = await context.ask((own) => port.search({ model, ...input, maxResults, search }, own));
    const { cost, results, upstreamRequestId } = requireOutcome(outcome, 'results');
    const { pages: value, dropped } = foundPages(results, input, scope);
    if (dropped > 0) context.citationsDropped({ dropped, kept: value.length });
    // The provider has found pages, though the caller gets none.
    const units = askedFor({ results: maxResults, pages: input.includeContent ? maxResults : 0 }).likely;
    const parts = dropped > 0 && value.length === 0 ? [{ cost, units }] : undefined;
    return { value, cost, parts, ...(upstreamRequestId && { upstreamRequestId }) };
  },
  unsupportedField({ maxResults, includeContent }, { facts, model }) {
    // A model of fewer results than callers get by default gives as many as it can.
    const most = Math.min(facts.maxResults ?? DEFAULT_MAX_RESULTS, model.maxResults ?? DEFAULT_MAX_RESULTS);
    if (maxResults > Math.max(most, DEFAULT_MAX_RESULTS)) return 'maxResults';
    return includeContent && !facts.features.includes('content') ? 'includeContent' : undefined;
  },
  askedUnits({ maxResults, includeContent }) {
    const asked = askedFor({ results: maxResults, pages: includeContent ? maxResults : 0 });
    return () => asked;
  },
  billedUnits: (pages, likely) => (pages.length === 0 ? { results: 0, pages: 0 } : likely),
  isEmpty: (pages) => pages.length === 0,
  present: (pages) => ({ object: 'search', fields: { results: pages }, usage: { results: pages.length } }),
  kept: z.array(foundPage).max(MAX_RESULTS),
  isShared: true,
};

function foundPages(
  results: readonly SearchResult[],
  { maxResults, ...input }: SearchInput,
  scope: PageScope | undefined,
): { readonly pages: readonly FoundPage[]; readonly dropped: number } {
  const pages = new Map<string, FoundPage>();
  let dropped = 0;
  for (const result of results.filter(isObject)) {
    const url = webAddress(result.url);
    if (url === undefined || pages.has(url)) continue;
    if (scope?.shows(url) === false) dropped += 1;
    else pages.set(url, within(foundPageOf(result, url, input), result, scope));
    if (pages.size === maxResults) break;
  }
  return { pages: [...pages.values()], dropped };
}

/** The page, whose texts neither name nor come from pages outside of the rules. */
function within(page: FoundPage, { resolvedUrl }: SearchResult, scope: PageScope | undefined): FoundPage {
  if (scope?.rules === undefined) return page;
  const { allows } = scope.rules;
  const [title, snippet] = [filterAddresses(page.title, allows), filterAddresses(page.snippet, allows)];
  const isForeign = typeof resolvedUrl === 'string' && !allows(resolvedUrl);
  const content = isForeign ? null : page.content && filterAddresses(page.content, allows);
  return { ...page, title, snippet, content };
}

function foundPageOf(
  result: SearchResult,
  url: string,
  { includeContent, maxContentCharacters = MAX_CONTENT_CHARACTERS }: Omit<SearchInput, 'maxResults'>,
): FoundPage {
  const { title, snippet, content, date, lastUpdated, score } = result;
  const page = includeContent ? boundText(content, maxContentCharacters) : '';
  // A vendor whose one text is both a description and the page.
  const words = boundText(snippet, MAX_SNIPPET_CHARACTERS) || boundText(content, MAX_SNIPPET_CHARACTERS);
  return {
    title: pageTitle(title, url),
    url,
    snippet: words,
    content: hasWords(page) ? page : null,
    date: dayOf(date),
    last_updated: dayOf(lastUpdated),
    score: typeof score === 'number' && Number.isFinite(score) ? score : null,
  };
}
