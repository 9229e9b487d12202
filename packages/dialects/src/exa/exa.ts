import type { CallBodies, Dialect, JsonObject } from '@searchgate/core/extensions';
import { type Form, formDialects } from '../forms/form.js';
import { beginning, countryCode, day, only } from '../forms/values.js';
import { invalid, isObject, own, unsupported } from '../openai/read-messages.js';
import { ANSWER } from './exa-answer.js';
import { EXA_ERRORS } from './exa-error.js';
import FIELDS from './exa-fields.json' with { type: 'json' };

/** Slugs, aliases or groups. A path without a model is left to the host. */
export interface ExaModels {
  /** Of `POST /api/v1/exa/search`. exa-js asks for the text of pages: a model without the feature `content` is refused. */
  readonly search?: string | undefined;
  /** Of `POST /api/v1/exa/contents`. */
  readonly extract?: string | undefined;
  /** Of `POST /api/v1/exa/answer`. */
  readonly answer?: string | undefined;
}

/**
 * `POST /api/v1/exa/search`, `/contents` and `/answer`: calls in the form of Exa, for its clients with the base URL `…/api/v1/exa`. The key may come in
 * `x-api-key`.
 *
 * @example createGateway({ …, endpoints: { exa: exa({ search: 'tavily/basic', extract: 'tavily/extract', answer: 'perplexity/sonar' }) } })
 */
export function exa({ search, extract, answer }: ExaModels): readonly Dialect[] {
  return formDialects({ search: [search, SEARCH], extract: [extract, CONTENTS], answer: [answer, ANSWER] });
}

const SEARCH: Form<'search'> = {
  name: 'exa_search',
  path: '/api/v1/exa/search',
  // What exa-js asks for by default (2.23.0, 2026-11-28).
  features: ['content'],
  ...EXA_ERRORS,
  fields: {
    ...FIELDS.search,
    rows: {
      query: 'query',
      numResults: 'max_results',
      includeDomains: 'search.include_domains',
      excludeDomains: 'search.exclude_domains',
      startPublishedDate: ['search.published_after', day],
      endPublishedDate: ['search.published_before', day],
      userLocation: ['search.country', countryCode],
      category: ['search.topic', only('news')],
      contents: ['include_content', (contents, name) => textOf(contents, name) !== undefined],
      tag: 'tag',
    },
  },
  adapt(body, given) {
    const most = textOf(own(body, 'contents') ?? {}, 'contents') ?? Number.POSITIVE_INFINITY;
    return { fields: { ...given, ...(most <= MOST_CHARACTERS && { max_content_characters: Math.floor(most) }) } };
  },
  write({ body, reply: { id, results, usage } }) {
    const contents = own(body, 'contents') ?? {};
    const most = textOf(contents, 'contents');
    const hasHighlights = isObject(contents) && isWanted(own(contents, 'highlights'));
    return {
      requestId: id,
      results: results.map((page) => resultOf(page, { most, hasHighlights })),
      costDollars: { total: usage.cost },
    };
  },
  about: { summary: 'Search in the form of Exa', reply: ['requestId', 'results', 'costDollars'] },
};

/** As of `POST /api/v1/search`. */
const MOST_CHARACTERS = 200_000;

/** A result of a search, or a page that was read. */
type Found = Pick<Page, 'url' | 'title' | 'content' | 'date'> & Partial<Page>;
type Page = CallBodies['search']['results'][number];

function resultOf({ url, title, snippet = '', content, date, score }: Found, { most, hasHighlights }: Wanted): object {
  return {
    id: url,
    url,
    title,
    publishedDate: date,
    author: null,
    score,
    ...(most !== undefined && { text: beginning(content ?? snippet, most) }),
    ...(hasHighlights && { highlights: snippet === '' ? [] : [snippet] }),
  };
}

interface Wanted {
  /** Of each text. `undefined` for no text. */
  readonly most: number | undefined;
  readonly hasHighlights: boolean;
}

/** Options of the contents that change no text of ours. */
const IGNORED_CONTENTS: readonly string[] = [...FIELDS.contents.ignored, 'text', 'highlights'];

/** The most characters of texts. @returns `undefined` where no text is wanted. @throws RequestError */
function textOf(contents: unknown, name: string): number | undefined {
  if (contents === false) return undefined;
  if (!isObject(contents)) throw invalid(name, contents, 'an object such as {"text":true}');
  for (const [option, value] of Object.entries(contents))
    if (isWanted(value) && !IGNORED_CONTENTS.includes(option))
      throw unsupported(`${name}.${option}`, `Leave out ${name}.${option}.`);
  return mostOf(own(contents, 'text'), `${name}.text`);
}

function mostOf(text: unknown, name: string): number | undefined {
  if (!isWanted(text)) return undefined;
  if (text === true) return Number.POSITIVE_INFINITY;
  if (!isObject(text)) throw invalid(name, text, 'true, or an object such as {"maxCharacters":1000}');
  const most = own(text, 'maxCharacters') ?? Number.POSITIVE_INFINITY;
  if (typeof most !== 'number' || !(most >= 1)) throw invalid(`${name}.maxCharacters`, most, 'a number from 1 on');
  const other = Object.entries(text).find(([option, value]) => option !== 'maxCharacters' && isWanted(value));
  if (other !== undefined) throw unsupported(`${name}.${other[0]}`, `Leave out ${name}.${other[0]}.`);
  return most;
}

function isWanted(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

const CONTENTS: Form<'extract'> = {
  name: 'exa_contents',
  path: '/api/v1/exa/contents',
  ...EXA_ERRORS,
  fields: { ...FIELDS.contents, rows: { urls: 'urls', tag: 'tag' }, read: ['ids', 'text'] },
  adapt(body: JsonObject, given) {
    mostOf(own(body, 'text'), 'text');
    // Older clients call the addresses ids.
    return { fields: { urls: own(body, 'ids'), format: 'text', ...given } };
  },
  write({ body, reply: { id, results, failed, usage } }) {
    const most = mostOf(own(body, 'text'), 'text') ?? Number.POSITIVE_INFINITY;
    return {
      requestId: id,
      results: results.map((page) => resultOf(page, { most, hasHighlights: false })),
      statuses: [
        ...results.map(({ url }) => ({ id: url, status: 'success' })),
        ...failed.map(({ url, reason }) => ({ id: url, status: 'error', error: { tag: reason } })),
      ],
      costDollars: { total: usage.cost },
    };
  },
  about: { summary: 'Read pages in the form of Exa', reply: ['requestId', 'results', 'statuses'] },
};
