import { ExaSearchResults } from '@langchain/exa';
import { TavilyExtract, TavilySearch } from '@langchain/tavily';
import { FirecrawlClient } from '@mendable/firecrawl-js';
import { tavilyExtract, tavilySearch } from '@tavily/ai-sdk';
import { tavily } from '@tavily/core';
import { Exa } from 'exa-js';

const URL = 'https://example.org/zephyr';
const QUERY = 'Zephyr Bridge';

/**
 * A call of an unchanged client, which is charged once.
 *
 * @typedef {object} Row
 * @property {string} client its package, or the program whose requests have this form
 * @property {string} what the call
 * @property {() => Promise<unknown>} call
 * @property {(reply: any) => unknown} shown what the reply must show: the address of the page
 */

/** @param {string} base of the gateway, such as `http://127.0.0.1:8080/api/v1`. @param {string} apiKey @returns {Row[]} */
export function rowsOf(base, apiKey) {
  return [...ofTavily(base, apiKey), ...ofExa(base, apiKey), ...ofFirecrawl(base, apiKey), ...ofPrograms(base, apiKey)];
}

/** @param {string} base @param {string} apiKey @returns {Row[]} */
function ofTavily(base, apiKey) {
  const options = { apiKey, apiBaseURL: `${base}/tavily` };
  const client = tavily(options);
  const langChain = { tavilyApiKey: apiKey, apiBaseUrl: `${base}/tavily` };
  return [
    {
      client: '@tavily/core',
      what: 'search',
      call: () => client.search(QUERY),
      shown: ({ results }) => results[0].url,
    },
    {
      client: '@tavily/core',
      what: 'search, every option',
      call: () =>
        client.search(QUERY, {
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
      shown: ({ results }) => results[0].rawContent && results[0].url,
    },
    {
      client: '@tavily/core',
      what: 'search with an answer',
      call: () => client.search(QUERY, { includeAnswer: true }),
      shown: ({ answer, results }) => answer === 'In 2021.' && results[0].url,
    },
    {
      client: '@tavily/core',
      what: 'extract',
      call: () => client.extract([URL]),
      shown: ({ results }) => results[0].rawContent && URL,
    },
    {
      client: '@langchain/tavily',
      what: 'TavilySearch',
      call: () => new TavilySearch(langChain).invoke({ query: QUERY }),
      shown: ({ results }) => results[0].url,
    },
    {
      client: '@langchain/tavily',
      what: 'TavilyExtract',
      call: () => new TavilyExtract(langChain).invoke({ urls: [URL] }),
      shown: ({ results }) => results[0].url,
    },
    {
      client: '@tavily/ai-sdk',
      what: 'tavilySearch',
      call: () => tavilySearch(options).execute({ query: QUERY }, {}),
      shown: ({ results }) => results[0].url,
    },
    {
      client: '@tavily/ai-sdk',
      what: 'tavilyExtract',
      call: () => tavilyExtract(options).execute({ urls: [URL] }, {}),
      shown: ({ results }) => results[0].url,
    },
  ];
}

/** @param {string} base @param {string} apiKey @returns {Row[]} */
function ofExa(base, apiKey) {
  const exa = new Exa(apiKey, `${base}/exa`);
  return [
    {
      client: 'exa-js',
      what: 'search',
      call: () => exa.search(QUERY),
      shown: ({ results }) => results[0].text && results[0].url,
    },
    {
      client: 'exa-js',
      what: 'search without contents',
      call: () => exa.search(QUERY, { contents: false, numResults: 3, type: 'auto', includeDomains: ['example.org'] }),
      shown: ({ results }) => results[0].url,
    },
    {
      client: 'exa-js',
      what: 'getContents',
      call: () => exa.getContents([URL], { text: { maxCharacters: 100 } }),
      shown: ({ results }) => results[0].text && results[0].url,
    },
    {
      client: 'exa-js',
      what: 'answer',
      call: () => exa.answer(QUERY),
      shown: ({ answer, citations }) => answer && citations[0].url,
    },
    {
      client: 'exa-js',
      what: 'streamAnswer',
      call: async () => {
        const parts = [];
        for await (const part of exa.streamAnswer(QUERY)) parts.push(part);
        return parts;
      },
      shown: (parts) => parts.some(({ content }) => content) && parts.at(-1).citations[0].url,
    },
    {
      client: '@langchain/exa',
      what: 'ExaSearchResults',
      call: () => new ExaSearchResults({ client: exa, searchArgs: { numResults: 3 } }).invoke(QUERY),
      shown: (text) => JSON.parse(text).results[0].url,
    },
  ];
}

/** @param {string} base @param {string} apiKey @returns {Row[]} */
function ofFirecrawl(base, apiKey) {
  const firecrawl = new FirecrawlClient({ apiKey, apiUrl: `${base}/firecrawl` });
  return [
    {
      client: '@mendable/firecrawl-js',
      what: 'search',
      call: () => firecrawl.search(QUERY, { limit: 3 }),
      shown: ({ web }) => web[0].url,
    },
    {
      client: '@mendable/firecrawl-js',
      what: 'search with pages',
      call: () => firecrawl.search(QUERY, { scrapeOptions: { formats: ['markdown'] } }),
      shown: ({ web }) => web[0].markdown && web[0].url,
    },
    {
      client: '@mendable/firecrawl-js',
      what: 'scrape',
      call: () => firecrawl.scrape(URL, { formats: ['markdown'] }),
      shown: ({ markdown, metadata }) => markdown && metadata.sourceURL,
    },
  ];
}

/** @param {string} base @param {string} apiKey @returns {Row[]} */
function ofPrograms(base, apiKey) {
  const get = async (url, init) => (await fetch(url, init)).json();
  const bearer = { authorization: `Bearer ${apiKey}` };
  const searxng = (query) => `${base}/searxng/search?${new URLSearchParams({ q: QUERY, format: 'json', ...query })}`;
  return [
    {
      client: 'Open WebUI (request form)',
      what: 'SearXNG',
      call: () =>
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
      shown: ({ results }) => results.sort((a, b) => b.score - a.score)[0].url,
    },
    {
      client: 'LangChain SearxngSearch, n8n (request form)',
      what: 'SearXNG by POST with an empty body',
      call: () =>
        get(searxng({ numResults: 10 }), {
          method: 'POST',
          headers: { ...bearer, 'content-type': 'application/json' },
        }),
      shown: ({ results, answers, infoboxes, suggestions }) =>
        answers.length + infoboxes.length + suggestions.length === 0 && results[0].url,
    },
    {
      client: 'LibreChat (request form)',
      what: 'Tavily',
      call: () =>
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
      shown: ({ results }) => results[0].url,
    },
  ];
}
