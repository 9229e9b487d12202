import type { Answer, CallBodies, Dialect } from '@searchgate/core/extensions';
import { unmarkedText } from '@searchgate/core/provider-kit';
import { type Form, formDialects, type Replied } from '../forms/form.js';
import { countryCode, day, isOn, only, period } from '../forms/values.js';
import { invalid, own, unsupported } from '../openai/read-messages.js';
import FIELDS from './tavily-fields.json' with { type: 'json' };

/** Slugs, aliases or groups. A path without a model is left to the host. */
export interface TavilyModels {
  /** Of `POST /api/v1/tavily/search`. */
  readonly search?: string | undefined;
  /** Of `POST /api/v1/tavily/extract`. */
  readonly extract?: string | undefined;
  /** Of searches with `include_answer`, which are questions: their results are the sources of the answer. */
  readonly answer?: string | undefined;
}

const ERRORS: Pick<Form<never>, 'error'> = {
  error: (text, { reason, request_id }) => ({ detail: { error: text, code: reason, request_id } }),
};
const DEFAULT_RESULTS = 5;
/** As of `POST /api/v1/search`. */
const MOST_RESULTS = 100;

/**
 * `POST /api/v1/tavily/search` and `/extract`: searches and pages in the form of Tavily, for its clients with the base URL `…/api/v1/tavily`.
 *
 * @example createGateway({ …, endpoints: { tavily: tavily({ search: 'exa/auto', extract: 'exa/contents' }) } })
 */
export function tavily({ search, extract, answer }: TavilyModels): readonly Dialect[] {
  return formDialects({ search: [search, searchForm(answer)], extract: [extract, EXTRACT] });
}

function searchForm(answer: string | undefined): Form<'search'> {
  return {
    name: 'tavily_search',
    path: '/api/v1/tavily/search',
    otherModels: [{ option: 'answer', model: answer, category: 'answer' }],
    ...ERRORS,
    fields: {
      ...FIELDS.search,
      rows: {
        query: 'query',
        max_results: 'max_results',
        include_raw_content: ['include_content', (value, name) => isOn(value, name, ['markdown', 'text'])],
        include_domains: 'search.include_domains',
        exclude_domains: 'search.exclude_domains',
        time_range: ['search.freshness', period],
        start_date: ['search.published_after', day],
        end_date: ['search.published_before', day],
        country: ['search.country', countryCode],
        language: 'search.language',
        tag: 'tag',
        topic: ['search.topic', only('general', 'news')],
      },
      read: ['include_answer'],
    },
    adapt(body, given) {
      const fields = { max_results: DEFAULT_RESULTS, ...given };
      const wanted = own(body, 'include_answer') ?? false;
      if (!isOn(wanted, 'include_answer', ['basic', 'advanced'])) return { fields };
      if (answer === undefined) throw unsupported('include_answer', 'No model for answers is set up here.');
      const { max_results: most, include_content: content, ...question } = fields as Record<string, unknown>;
      // A question has no such field, so no other check sees it.
      if (!Number.isInteger(most) || Number(most) < 1 || Number(most) > MOST_RESULTS)
        throw invalid('max_results', most, `a whole number from 1 to ${MOST_RESULTS}`);
      if (content === true)
        throw unsupported('include_raw_content', 'Leave include_raw_content out with include_answer.');
      const write = (replied: Replied<'answer'>) => answered(replied, most);
      return { fields: { ...question, model: answer }, as: { category: 'answer', write } };
    },
    write: ({ reply: { results, ...reply }, ...replied }) => ({
      ...replyOf(replied, reply),
      answer: null,
      images: [],
      results: results.map(resultOf),
    }),
    about: { summary: 'Search in the form of Tavily', reply: ['query', 'images', 'results'] },
  };
}

type Page = CallBodies['search']['results'][number];
type Found = Pick<Page, 'title' | 'url' | 'snippet'> & Partial<Page>;

/** Of a search or of an answer. Where a vendor gives no score, the place in the list gives one: clients sort by it. */
function resultOf({ title, url, snippet, content = null, date = null, score }: Found, at: number) {
  return { title, url, content: snippet, score: score ?? 1 / (at + 1), raw_content: content, published_date: date };
}

function answered({ reply, ...replied }: Replied<'answer'>, most: unknown): object {
  const { answer, citations = [] } = reply;
  return {
    ...replyOf(replied, reply),
    answer: unmarkedText({ text: answer, citations }),
    images: [],
    results: citations.slice(0, Number(most)).map(resultOf),
  };
}

const charged = ({ cost, byok }: Answer['usage']) => ({ cost, byok });

/** @param reply the call that was charged. */
function replyOf(
  { body, elapsedMs }: Omit<Replied<never>, 'reply'>,
  { id, usage }: { id: string; usage: Answer['usage'] },
) {
  return { query: own(body, 'query'), response_time: elapsedMs / 1_000, usage: charged(usage), request_id: id };
}

const EXTRACT: Form<'extract'> = {
  name: 'tavily_extract',
  path: '/api/v1/tavily/extract',
  ...ERRORS,
  fields: {
    ...FIELDS.extract,
    rows: { urls: ['urls', (urls) => (typeof urls === 'string' ? [urls] : urls)], format: 'format', tag: 'tag' },
  },
  write: ({ reply: { id, results, failed, usage }, elapsedMs }) => ({
    results: results.map(({ url, title, content }) => ({ url, title, raw_content: content, images: [] })),
    failed_results: failed.map(({ url, reason }) => ({ url, error: reason })),
    response_time: elapsedMs / 1_000,
    usage: charged(usage),
    request_id: id,
  }),
  about: { summary: 'Read pages in the form of Tavily', reply: ['results', 'failed_results'] },
};
