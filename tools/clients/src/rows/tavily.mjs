import { TavilyExtract, TavilySearch } from '@langchain/tavily';
import { tavilyExtract, tavilySearch } from '@tavily/ai-sdk';
import { tavily } from '@tavily/core';
import { PAGE, QUERY, rowsOf } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@tavily/core': ['`apiBaseURL`: `BASE/tavily`', '`apiKey`', '`search` and `extract` only.'],
  '@tavily/ai-sdk': ['`apiBaseURL`: `BASE/tavily`', '`apiKey`', 'as above'],
  '@langchain/tavily': ['`apiBaseUrl`: `BASE/tavily`', '`tavilyApiKey`', 'as above'],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const options = { apiKey, apiBaseURL: `${base}/tavily` };
  const client = tavily(options);
  const langChain = { tavilyApiKey: apiKey, apiBaseUrl: `${base}/tavily` };
  const found = ({ results }) => results[0].url;
  const read = ({ results }) => results[0].rawContent && results[0].url;
  const answered = ({ answer, results }) => answer === 'In 2021.' && results[0].url;
  const every = {
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
  };
  return [
    ...rowsOf('@tavily/core', [
      ['search', () => client.search(QUERY), found],
      ['search, every option', () => client.search(QUERY, every), read],
      ['search with an answer', () => client.search(QUERY, { includeAnswer: true }), answered],
      ['extract', () => client.extract([PAGE]), read],
    ]),
    ...rowsOf('@langchain/tavily', [
      ['TavilySearch', () => new TavilySearch(langChain).invoke({ query: QUERY }), found],
      ['TavilyExtract', () => new TavilyExtract(langChain).invoke({ urls: [PAGE] }), found],
    ]),
    ...rowsOf('@tavily/ai-sdk', [
      ['tavilySearch', () => tavilySearch(options).execute({ query: QUERY }, {}), found],
      ['tavilyExtract', () => tavilyExtract(options).execute({ urls: [PAGE] }, {}), found],
    ]),
  ];
}
