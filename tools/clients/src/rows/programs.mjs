import { DOCUMENTS, PAGE, QUERY, rowsOf } from '../row.mjs';

const IN_PATH = '[in the path](search-clients.md#a-key-in-the-path)';
const PERPLEXITY = 'Perplexity: needs a [`defaultModel`](../recipes/search.md#clients-that-work-unchanged).';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  'agno `TavilyTools`': [
    '`tools.client = TavilyClient(api_base_url="BASE/tavily")`',
    '`api_key`',
    'Asks for an answer too.',
  ],
  'crewAI `EXASearchTool`': ['`EXA_BASE_URL`: `BASE/exa`', '`EXA_API_KEY`', '`summary=True` is refused.'],
  'LangChain `SearxngSearch`': ['`apiBase`: `BASE/searxng`', '`headers`', ''],
  LibreChat: [
    '`TAVILY_SEARCH_URL`: `BASE/tavily/search`, `TAVILY_EXTRACT_URL`: `BASE/tavily/extract`, `SEARXNG_INSTANCE_URL`: `BASE/searxng`, `FIRECRAWL_BASE_URL`: `BASE/firecrawl`, `JINA_API_URL`, `COHERE_API_URL`: `BASE/rerank`',
    '`TAVILY_API_KEY` …',
    '`firecrawlVersion: v2`. [Aliases](../configuration.md) for rerankers: `jina-reranker-v2-base-multilingual`, `rerank-v3.5`.',
  ],
  LiteLLM: [
    '`TAVILY_API_BASE`: `BASE/tavily`, `EXA_API_BASE`: `BASE/exa`, `FIRECRAWL_API_BASE`: `BASE/firecrawl/v2`, `SEARXNG_API_BASE`: `BASE/searxng`, `PERPLEXITY_API_BASE`: `BASE`',
    '`TAVILY_API_KEY` …',
    PERPLEXITY,
  ],
  LobeChat: ['`SEARXNG_URL`: `BASE/searxng/KEY`', IN_PATH, 'Firecrawl: news is refused. Tavily, Exa: fixed addresses.'],
  n8n: ['SearXNG API URL: `BASE/searxng/KEY`', IN_PATH, ''],
  'Open WebUI': [
    '`SEARXNG_QUERY_URL`: `BASE/searxng/KEY/search?q=<query>`, `FIRECRAWL_API_BASE_URL`: `BASE/firecrawl`, `PERPLEXITY_SEARCH_API_URL`: `BASE/search`, `RAG_EXTERNAL_RERANKER_URL`: `BASE/rerank`',
    `\`FIRECRAWL_API_KEY\` …; SearXNG: ${IN_PATH}`,
    `${PERPLEXITY} Tavily, Exa: fixed addresses.`,
  ],
};

// What the replies must show.
const found = ({ results: [first] }) => (first.content || first.text || first.snippet) && first.url;
const sorted = ({ results }) => found({ results: results.sort((a, b) => b.score - a.score) });
const wrapped = ({ answers, infoboxes, suggestions, results }) =>
  answers.length + infoboxes.length + suggestions.length === 0 && found({ results });
const answered = ({ answer, results }) => answer === 'In 2021.' && sorted({ results });
const read = ({ results, failed_results: failed }) => failed.length === 0 && results[0].raw_content && results[0].url;
const onWeb = ({ data }) => data.web[0].description && data.web[0].url;
const scraped = ({ data: { markdown, metadata } }) => markdown && metadata.sourceURL;
const ranked = ({ results: [{ index, relevance_score: score }] }) => index === 0 && score === 1 && PAGE;
const withText = ({ results }) => results[0].document.text === DOCUMENTS[0] && ranked({ results });

// What the requests have.
const query = QUERY;
const documents = { query, documents: DOCUMENTS };
const domains = ['example.org'];
const basic = {
  search_depth: 'basic',
  topic: 'general',
  max_results: 8,
  time_range: 'week',
  country: 'united states',
};
const engines = {
  pageno: 1,
  categories: 'general',
  language: 'all',
  safesearch: 1,
  engines: 'google,bing,duckduckgo',
};
const jina = { model: 'jina-reranker-v2-base-multilingual', ...documents, top_n: 5, return_documents: true };
const inUs = { numResults: 3, includeDomains: domains, userLocation: 'US', contents: { text: true } };
const scrapeOptions = { formats: ['markdown'], onlyMainContent: true };
const plain = {
  pageno: 1,
  safesearch: 1,
  language: 'all',
  time_range: '',
  categories: '',
  theme: 'simple',
  image_proxy: 0,
};
const sdk = { ignoreInvalidURLs: true, timeout: 9, origin: 'python-sdk@4.42.0' };
// LangChain's wrapper is also that of n8n.
const wrapper = { numResults: 10, pageNumber: 1, imageProxy: true, safesearch: 0 };

/**
 * Programs that are not installed: requests as they send them, read in their sources on 2026-11-29.
 *
 * @type {import('../row.mjs').Rows}
 */
export function rows({ base, apiKey }) {
  const bearer = { authorization: `Bearer ${apiKey}` };
  const python = { ...bearer, 'x-client-source': 'tavily-python' };
  const xApiKey = { 'x-api-key': apiKey };
  const fields = (own) => `search?${new URLSearchParams({ q: QUERY, format: 'json', ...own })}`;
  const searxng = (own) => `/searxng/${fields(own)}`;
  const withKey = (own) => `/searxng/${apiKey}/${fields(own)}`;

  /** Requests with a JSON body, with an empty body for `null`, or by GET. */
  const formsOf = (client, forms) =>
    rowsOf(
      client,
      forms.map(([path, body, shown, headers]) => [path.replace(/\?.*/, ''), () => send(path, body, headers), shown]),
    );
  const send = async (path, body, headers = bearer) => {
    const method = body === undefined ? 'GET' : 'POST';
    const json = { 'content-type': 'application/json', ...headers };
    return (await fetch(`${base}${path}`, { method, headers: json, body: body && JSON.stringify(body) })).json();
  };
  return [
    ...formsOf('agno `TavilyTools`', [
      ['/tavily/search', { query, search_depth: 'advanced', include_answer: true, max_results: 5 }, answered, python],
    ]),
    ...formsOf('crewAI `EXASearchTool`', [
      ['/exa/search', { query, type: 'auto', contents: { text: { maxCharacters: 10_000 } } }, found, xApiKey],
    ]),
    ...formsOf('LangChain `SearxngSearch`', [[searxng(wrapper), null, wrapped]]),
    ...formsOf('LibreChat', [
      ['/tavily/search', { query, ...basic }, found],
      ['/tavily/extract', { urls: [PAGE], extract_depth: 'basic', include_images: false }, read],
      [searxng(engines), undefined, found, xApiKey],
      ['/firecrawl/v2/scrape', { url: PAGE, formats: ['markdown', 'rawHtml'], timeout: 7_500 }, scraped],
      ['/rerank', jina, withText],
      ['/rerank', { model: 'rerank-v3.5', ...documents, top_n: 5 }, ranked],
    ]),
    ...formsOf('LiteLLM', [
      ['/tavily/search', { query, max_results: 3, include_domains: domains, country: 'us' }, found],
      ['/exa/search', { query, ...inUs }, found, xApiKey],
      ['/firecrawl/v2/search', { query, limit: 3, country: 'US', scrapeOptions }, onWeb],
      [searxng({ language: 'en' }), undefined, found],
      ['/search', { query, max_results: 3, search_domain_filter: domains, country: 'US' }, found],
    ]),
    ...formsOf('LobeChat', [[withKey({ categories: 'general', engines: 'google,bing' }), undefined, sorted, {}]]),
    ...formsOf('n8n', [[withKey({ ...wrapper, language: 'en' }), null, wrapped, {}]]),
    ...formsOf('Open WebUI', [
      [withKey(plain), undefined, sorted, { accept: 'text/html' }],
      ['/firecrawl/v2/search', { query, limit: 3, ...sdk }, onWeb],
      ['/search', { query, max_results: 3 }, found],
      ['/rerank', { model: 'house/rerank', ...documents, top_n: DOCUMENTS.length }, ranked],
    ]),
  ];
}
