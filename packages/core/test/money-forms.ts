import { chatCompletions, exa, firecrawl, responses, searxng, tavily } from '@searchgate/dialects';
import type { EndpointOptions } from '../src/http/extensions.js';

/** The models of a gateway. */
interface Models {
  readonly search: string;
  readonly extract: string;
  readonly answer: string;
}

export function endpointsOf(models: Models): EndpointOptions {
  return {
    chatCompletions: chatCompletions(),
    responses: responses(),
    tavily: tavily(models),
    exa: exa(models),
    firecrawl: firecrawl(models),
    searxng: searxng(models),
  };
}

/** A form in which a call can be made. */
export interface Form {
  readonly name: string;
  readonly isStreamed: boolean;
  /** Below `/api/v1/`. */
  readonly path: string;
  /** What is asked, besides the query: calls with the same words are the same call. */
  readonly asks: string;
  /** Where a reply, or an event of it, has its cost. */
  readonly cost: string;
  readonly method: 'GET' | 'POST';
  /** The fields of a request; of a `GET`, and of SearXNG's `POST`, they are the query string. */
  fields(query: string): Readonly<Record<string, unknown>>;
  readonly isQuery?: boolean;
  /** Where the key is sent. Default: as a bearer token. */
  readonly keyHeader?: string;
}

type Row = readonly [path: string, asks: string, cost: string, fields: Form['fields'], more?: Partial<Form>];

const address = (query: string) => query && `https://example.org/${query}`;
const message = (query: string) => [{ role: 'user', content: query }];
const EXA = { keyHeader: 'x-api-key' };
const STREAM = { stream: true, stream_options: { include_usage: true } };

function rowsOf({ search, extract, answer: model }: Models): readonly Row[] {
  return [
    ['answer', 'answer', 'usage.cost', (query) => ({ model, query })],
    ['answer', 'answer', 'usage.cost', (query) => ({ model, query, stream: true })],
    ['chat/completions', 'answer', 'usage.cost', (query) => ({ model, messages: message(query) })],
    ['chat/completions', 'answer', 'usage.cost', (query) => ({ model, messages: message(query), ...STREAM })],
    ['responses', 'answer', 'usage.cost', (input) => ({ model, input })],
    ['responses', 'answer', 'response.usage.cost', (input) => ({ model, input, stream: true })],
    ['exa/answer', 'answer', 'costDollars.total', (query) => ({ query }), EXA],
    ['exa/answer', 'answer', 'costDollars.total', (query) => ({ query, stream: true }), EXA],
    ['tavily/search', 'answer', 'usage.cost', (query) => ({ query, include_answer: true })],
    ['search', 'search, 10', 'usage.cost', (query) => ({ model: search, query })],
    ['tavily/search', 'search, 5', 'usage.cost', (query) => ({ query })],
    ['exa/search', 'search, 10', 'costDollars.total', (query) => ({ query }), EXA],
    ['firecrawl/v2/search', 'search, 5', 'cost', (query) => ({ query })],
    ['searxng/search', 'search, 10', 'cost', (q) => ({ q, format: 'json' }), { method: 'GET', isQuery: true }],
    ['searxng/search', 'search, 10', 'cost', (q) => ({ q }), { isQuery: true, ...EXA }],
    ['extract', 'extract', 'usage.cost', (page) => ({ model: extract, urls: [address(page)] })],
    ['tavily/extract', 'extract', 'usage.cost', (page) => ({ urls: [address(page)] })],
    ['exa/contents', 'extract, text', 'costDollars.total', (page) => ({ urls: [address(page)], text: true }), EXA],
    ['firecrawl/v2/scrape', 'extract', 'cost', (page) => ({ url: address(page) })],
  ];
}

/** Our own forms and those of other services, whole and streamed. */
export function formsOf(models: Models): readonly Form[] {
  return rowsOf(models).map(([path, asks, cost, fields, more]) => {
    const { method = 'POST' } = more ?? {};
    const isStreamed = 'stream' in fields('');
    const name = `${method} ${path} for ${asks}${isStreamed ? ', streamed' : ''}`;
    return { name, isStreamed, path, asks, cost, fields, ...more, method };
  });
}
