import { FirecrawlClient } from '@mendable/firecrawl-js';
import { scrape, search } from 'firecrawl-aisdk';
import { PAGE, QUERY, rowsOf } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@mendable/firecrawl-js': ['`apiUrl`: `BASE/firecrawl`', '`apiKey`', '`search` and `scrape` only.'],
  'firecrawl-aisdk': ['`apiUrl` of `search` and `scrape`: `BASE/firecrawl`', '`apiKey`', 'The other tools fail.'],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const options = { apiKey, apiUrl: `${base}/firecrawl` };
  const firecrawl = new FirecrawlClient(options);
  const found = ({ web }) => web[0].url;
  const withPages = ({ web }) => web[0].markdown && web[0].url;
  const read = ({ markdown, metadata }) => markdown && metadata.sourceURL;
  const scrapeOptions = { formats: ['markdown'] };
  const page = { ...scrapeOptions, onlyMainContent: true };
  return [
    ...rowsOf('@mendable/firecrawl-js', [
      ['search', () => firecrawl.search(QUERY, { limit: 3 }), found],
      ['search with pages', () => firecrawl.search(QUERY, { scrapeOptions }), withPages],
      ['scrape', () => firecrawl.scrape(PAGE, scrapeOptions), read],
    ]),
    ...rowsOf('firecrawl-aisdk', [
      ['search', () => search(options).execute({ query: QUERY, limit: 3, scrapeOptions }, {}), withPages],
      ['scrape', () => scrape(options).execute({ url: PAGE, ...page }, {}), read],
    ]),
  ];
}
