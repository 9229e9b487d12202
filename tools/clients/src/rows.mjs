import { ExaSearchResults } from '@langchain/exa';
import { TavilyExtract, TavilySearch } from '@langchain/tavily';
import { FirecrawlClient } from '@mendable/firecrawl-js';
import { tavilyExtract, tavilySearch } from '@tavily/ai-sdk';
import { tavily } from '@tavily/core';
import { Exa } from 'exa-js';

const URL = 'https://example.org/zephyr';
const QUERY = 'Zephyr Bridge';

/**
 * Calls of unchanged clients: the client, the call, and what it must show. Each is charged once.
 *
 * @param base of the gateway, such as `http://127.0.0.1:8080/api/v1`.
 */
export function rowsOf(base, apiKey) {
  const tavilyBase = { apiKey, apiBaseURL: `${base}/tavily` };
  const exa = new Exa(apiKey, `${base}/exa`);
  const firecrawl = new FirecrawlClient({ apiKey, apiUrl: `${base}/firecrawl` });
  const get = async (url, init) => (await fetch(url, init)).json();
  const bearer = { authorization: `Bearer ${apiKey}` };
  const searxng = (query) => `${base}/searxng/search?${new URLSearchParams({ q: QUERY, format: 'json', ...query })}`;
  return [
    ['@tavily/core', 'search', () => tavily(tavilyBase).search(QUERY), ({ results }) => results[0].url],
    [
      '@tavily/core',
      'search, every option',
      () =>
        tavily(tavilyBase).search(QUERY, {
          searchDepth: 'advanced',
          topic: 'general',
          maxResults: 3,
          includeRawContent: 'markdown',
          includeDomains: ['example.org'],
          timeRange: 'month',
          country: 'united states',
          includeImages: false,
          includeFavicon: true,
          includeUsage: true,
        }),
      ({ results }) => results[0].rawContent && results[0].url,
    ],
    [
      '@tavily/core',
      'search with an answer',
      () => tavily(tavilyBase).search(QUERY, { includeAnswer: true }),
      ({ answer, results }) => answer === 'In 2021.' && results[0].url,
    ],
    ['@tavily/core', 'extract', () => tavily(tavilyBase).extract([URL]), ({ results }) => results[0].rawContent && URL],
    [
      '@langchain/tavily',
      'TavilySearch',
      () => new TavilySearch({ tavilyApiKey: apiKey, apiBaseUrl: `${base}/tavily` }).invoke({ query: QUERY }),
      ({ results }) => results[0].url,
    ],
    [
      '@langchain/tavily',
      'TavilyExtract',
      () => new TavilyExtract({ tavilyApiKey: apiKey, apiBaseUrl: `${base}/tavily` }).invoke({ urls: [URL] }),
      ({ results }) => results[0].url,
    ],
    [
      '@tavily/ai-sdk',
      'tavilySearch',
      () => tavilySearch(tavilyBase).execute({ query: QUERY }, {}),
      ({ results }) => results[0].url,
    ],
    [
      '@tavily/ai-sdk',
      'tavilyExtract',
      () => tavilyExtract(tavilyBase).execute({ urls: [URL] }, {}),
      ({ results }) => results[0].url,
    ],
    ['exa-js', 'search', () => exa.search(QUERY), ({ results }) => results[0].text && results[0].url],
    [
      'exa-js',
      'search without contents',
      () => exa.search(QUERY, { contents: false, numResults: 3, type: 'auto', includeDomains: ['example.org'] }),
      ({ results }) => results[0].url,
    ],
    [
      'exa-js',
      'getContents',
      () => exa.getContents([URL], { text: { maxCharacters: 100 } }),
      ({ results }) => results[0].text && results[0].url,
    ],
    ['exa-js', 'answer', () => exa.answer(QUERY), ({ answer, citations }) => answer && citations[0].url],
    [
      'exa-js',
      'streamAnswer',
      async () => {
        const parts = [];
        for await (const part of exa.streamAnswer(QUERY)) parts.push(part);
        return parts;
      },
      (parts) => parts.some(({ content }) => content) && parts.at(-1).citations[0].url,
    ],
    [
      '@langchain/exa',
      'ExaSearchResults',
      () => new ExaSearchResults({ client: exa, searchArgs: { numResults: 3 } }).invoke(QUERY),
      (text) => JSON.parse(text).results[0].url,
    ],
    ['@mendable/firecrawl-js', 'search', () => firecrawl.search(QUERY, { limit: 3 }), ({ web }) => web[0].url],
    [
      '@mendable/firecrawl-js',
      'search with pages',
      () => firecrawl.search(QUERY, { scrapeOptions: { formats: ['markdown'] } }),
      ({ web }) => web[0].markdown && web[0].url,
    ],
    [
      '@mendable/firecrawl-js',
      'scrape',
      () => firecrawl.scrape(URL, { formats: ['markdown'] }),
      ({ markdown, metadata }) => markdown && metadata.sourceURL,
    ],
    [
      'Open WebUI (request form)',
      'SearXNG',
      () =>
        get(
          searxng({
            pageno: 1,
            safesearch: 1,
            language: 'all',
            time_range: '',
            categories: '',
            theme: 'simple',
            image_proxy: 0,
          }),
          { headers: bearer },
        ),
      ({ results }) => results.sort((a, b) => b.score - a.score)[0].url,
    ],
    [
      'LangChain SearxngSearch, n8n (request form)',
      'SearXNG by POST with an empty body',
      () =>
        get(searxng({ numResults: 10 }), {
          method: 'POST',
          headers: { ...bearer, 'content-type': 'application/json' },
        }),
      ({ results, answers, infoboxes, suggestions }) =>
        answers.length + infoboxes.length + suggestions.length === 0 && results[0].url,
    ],
    [
      'LibreChat (request form)',
      'Tavily',
      () =>
        get(`${base}/tavily/search`, {
          method: 'POST',
          headers: { ...bearer, 'content-type': 'application/json' },
          body: JSON.stringify({
            query: QUERY,
            max_results: 10,
            search_depth: 'basic',
            topic: 'general',
            include_images: false,
          }),
        }),
      ({ results }) => results[0].url,
    ],
  ];
}
