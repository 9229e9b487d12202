import { TavilyExtract, TavilySearch } from '@langchain/tavily';
import { tavilyExtract, tavilySearch } from '@tavily/ai-sdk';
import { tavily } from '@tavily/core';
import { PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@tavily/core': ['`apiBaseURL`: `BASE/tavily`', '`apiKey`', ''],
  '@tavily/ai-sdk': ['`apiBaseURL`: `BASE/tavily`', '`apiKey`', ''],
  '@langchain/tavily': ['`apiBaseUrl`: `BASE/tavily`', '`tavilyApiKey`', ''],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
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
      call: () => client.extract([PAGE]),
      shown: ({ results }) => results[0].rawContent && PAGE,
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
      call: () => new TavilyExtract(langChain).invoke({ urls: [PAGE] }),
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
      call: () => tavilyExtract(options).execute({ urls: [PAGE] }, {}),
      shown: ({ results }) => results[0].url,
    },
  ];
}
