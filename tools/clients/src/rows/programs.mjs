import { DOCUMENTS, PAGE, post, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  'agno `TavilyTools`': [
    '`tools.client`: `TavilyClient(api_base_url="BASE/tavily")`',
    '`api_key`',
    'One question with each search, unless `include_answer=False`.',
  ],
  'crewAI `EXASearchTool`': ['`EXA_BASE_URL`: `BASE/exa`', '`EXA_API_KEY`', '`summary=True` is refused.'],
  'LangChain `SearxngSearch`': ['`apiBase`: `BASE/searxng`', '`headers`: `{ Authorization: "Bearer KEY" }`', ''],
  LibreChat: [
    '`TAVILY_SEARCH_URL`: `BASE/tavily/search`, `TAVILY_EXTRACT_URL`: `BASE/tavily/extract`, `SEARXNG_INSTANCE_URL`: `BASE/searxng`, `FIRECRAWL_BASE_URL`: `BASE/firecrawl`, `JINA_API_URL`, `COHERE_API_URL`: `BASE/rerank`',
    '`TAVILY_API_KEY` …',
    'Firecrawl with `firecrawlVersion: v2`. Rerankers are named `jina-reranker-v2-base-multilingual` and `rerank-v3.5`: make `aliases`.',
  ],
  LiteLLM: [
    '`TAVILY_API_BASE`: `BASE/tavily`, `EXA_API_BASE`: `BASE/exa`, `SEARXNG_API_BASE`: `BASE/searxng`, `FIRECRAWL_API_BASE`: `BASE/firecrawl/v2`',
    '`TAVILY_API_KEY` …',
    '',
  ],
  LobeChat: [
    '`SEARXNG_URL`: `BASE/searxng`',
    'a proxy in front',
    'Its Tavily, Exa and Firecrawl searches do not work.',
  ],
  n8n: ['SearXNG API URL: `BASE/searxng`', 'a proxy in front', ''],
  'Open WebUI': [
    'SearXNG query URL: `BASE/searxng/search?q=<query>`, `FIRECRAWL_API_BASE_URL`: `BASE/firecrawl`, `RAG_EXTERNAL_RERANKER_URL`: `BASE/rerank`',
    '`FIRECRAWL_API_KEY` …; for SearXNG a proxy in front',
    'Its Tavily and Exa searches have fixed addresses.',
  ],
};

/** The fields of LangChain's wrapper, which n8n uses too. */
const SEARXNG_FIELDS = { numResults: 10, pageNumber: 1, imageProxy: true, safesearch: 0 };

/**
 * Programs that cannot be installed here: requests as they send them, read in their source on 2026-11-29. Programs that send no key get it from a
 * proxy.
 *
 * @type {import('../row.mjs').Rows}
 */
export function rows({ base, apiKey }) {
  const bearer = { authorization: `Bearer ${apiKey}` };
  const xApiKey = { 'x-api-key': apiKey };
  const searxng = async (query, init) => {
    const fields = new URLSearchParams({ q: QUERY, format: 'json', ...query });
    return (await fetch(`${base}/searxng/search?${fields}`, init)).json();
  };
  const rerank = (body) => post(`${base}/rerank`, bearer, { query: QUERY, documents: DOCUMENTS, ...body });
  const found = ({ results }) => results[0].url;
  const read = ({ results, failed_results: failed }) => failed.length === 0 && results[0].raw_content && results[0].url;
  const onWeb = ({ data }) => data.web[0].url;
  const ranked = ({ results: [{ index, relevance_score: score }] }) => index === 0 && score === 1 && PAGE;
  return [
    {
      client: 'agno `TavilyTools`',
      what: 'search',
      call: () => {
        const fields = { query: QUERY, search_depth: 'advanced', include_answer: true, max_results: 5 };
        return post(`${base}/tavily/search`, { ...bearer, 'x-client-source': 'tavily-python' }, fields);
      },
      shown: ({ answer, results: [first] }) => answer === 'In 2021.' && typeof first.score === 'number' && first.url,
    },
    {
      client: 'crewAI `EXASearchTool`',
      what: 'search',
      call: () => {
        const contents = { text: { maxCharacters: 10_000 } };
        return post(`${base}/exa/search`, xApiKey, { query: QUERY, type: 'auto', contents });
      },
      shown: found,
    },
    {
      client: 'LangChain `SearxngSearch`',
      what: 'POST with an empty body',
      call: () =>
        searxng(SEARXNG_FIELDS, { method: 'POST', headers: { ...bearer, 'content-type': 'application/json' } }),
      shown: ({ results, answers, infoboxes, suggestions }) =>
        answers.length + infoboxes.length + suggestions.length === 0 && results[0].url,
    },
    {
      client: 'LibreChat',
      what: 'search by Tavily',
      call: () => {
        const fields = { search_depth: 'basic', topic: 'general', max_results: 8, country: 'united states' };
        return post(`${base}/tavily/search`, bearer, { query: QUERY, time_range: 'week', ...fields });
      },
      shown: found,
    },
    {
      client: 'LibreChat',
      what: 'extract by Tavily',
      call: () => {
        const fields = { urls: [PAGE], extract_depth: 'basic', include_images: false };
        return post(`${base}/tavily/extract`, bearer, fields);
      },
      shown: read,
    },
    {
      client: 'LibreChat',
      what: 'SearXNG',
      call: () => {
        const fields = { categories: 'general', safesearch: 1, engines: 'google,bing,duckduckgo' };
        return searxng({ pageno: 1, language: 'all', ...fields }, { headers: xApiKey });
      },
      shown: found,
    },
    {
      client: 'LibreChat',
      what: 'scrape by Firecrawl',
      call: () => {
        const fields = { url: PAGE, formats: ['markdown', 'rawHtml'], timeout: 7_500 };
        return post(`${base}/firecrawl/v2/scrape`, bearer, fields);
      },
      shown: ({ data: { markdown, metadata } }) => markdown && metadata.sourceURL,
    },
    {
      client: 'LibreChat',
      what: "rerank in Jina's form",
      call: () => rerank({ model: 'jina-reranker-v2-base-multilingual', top_n: 5, return_documents: true }),
      shown: ({ results }) => results[0].document.text === DOCUMENTS[0] && ranked({ results }),
    },
    {
      client: 'LibreChat',
      what: "rerank in Cohere's form",
      call: () => rerank({ model: 'rerank-v3.5', top_n: 5 }),
      shown: ranked,
    },
    {
      client: 'LiteLLM',
      what: 'Tavily',
      call: () => {
        const fields = { max_results: 3, include_domains: ['example.org'], country: 'us' };
        return post(`${base}/tavily/search`, bearer, { query: QUERY, ...fields });
      },
      shown: found,
    },
    {
      client: 'LiteLLM',
      what: 'Exa',
      call: () => {
        const fields = { numResults: 3, includeDomains: ['example.org'], userLocation: 'US', contents: { text: true } };
        return post(`${base}/exa/search`, xApiKey, { query: QUERY, ...fields });
      },
      shown: ({ results }) => results[0].text && results[0].url,
    },
    {
      client: 'LiteLLM',
      what: 'Firecrawl',
      call: () => {
        const scrapeOptions = { formats: ['markdown'], onlyMainContent: true };
        const fields = { query: QUERY, limit: 3, country: 'US', scrapeOptions };
        return post(`${base}/firecrawl/v2/search`, bearer, fields);
      },
      shown: onWeb,
    },
    {
      client: 'LiteLLM',
      what: 'SearXNG',
      call: () => searxng({ language: 'en' }, { headers: { ...bearer, 'content-type': 'application/json' } }),
      shown: found,
    },
    {
      client: 'LobeChat',
      what: 'SearXNG',
      call: () => searxng({ categories: 'general', engines: 'google,bing' }, { headers: bearer }),
      shown: found,
    },
    {
      client: 'n8n',
      what: 'SearXNG',
      call: () => {
        const headers = { ...bearer, 'content-type': 'application/json', accept: 'application/json' };
        return searxng({ ...SEARXNG_FIELDS, language: 'en' }, { method: 'POST', headers });
      },
      shown: found,
    },
    {
      client: 'Open WebUI',
      what: 'SearXNG',
      call: () => {
        const fields = { pageno: 1, safesearch: 1, language: 'all', time_range: '', categories: '' };
        return searxng({ ...fields, theme: 'simple', image_proxy: 0 }, { headers: { ...bearer, accept: 'text/html' } });
      },
      shown: ({ results }) => results.sort((a, b) => b.score - a.score)[0].url,
    },
    {
      client: 'Open WebUI',
      what: 'Firecrawl',
      call: () => {
        const fields = { query: QUERY, limit: 3, ignoreInvalidURLs: true, timeout: 9, origin: 'python-sdk@4.42.0' };
        return post(`${base}/firecrawl/v2/search`, bearer, fields);
      },
      shown: onWeb,
    },
    {
      client: 'Open WebUI',
      what: 'external reranker',
      call: () => rerank({ model: 'house/rerank', top_n: DOCUMENTS.length }),
      shown: ranked,
    },
  ];
}
