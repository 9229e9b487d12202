import { FirecrawlClient } from '@mendable/firecrawl-js';
import { scrape, search } from 'firecrawl-aisdk';
import { PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  '@mendable/firecrawl-js': ['`apiUrl`: `BASE/firecrawl`', '`apiKey`', '`search` and `scrape` only.'],
  'firecrawl-aisdk': ['`apiUrl` of `search` and `scrape`: `BASE/firecrawl`', '`apiKey`', 'The other tools fail.'],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
  const options = { apiKey, apiUrl: `${base}/firecrawl` };
  const firecrawl = new FirecrawlClient(options);
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
      call: () => firecrawl.scrape(PAGE, { formats: ['markdown'] }),
      shown: ({ markdown, metadata }) => markdown && metadata.sourceURL,
    },
    {
      client: 'firecrawl-aisdk',
      what: 'search',
      call: () => search(options).execute({ query: QUERY, limit: 3, scrapeOptions: { formats: ['markdown'] } }, {}),
      shown: ({ web }) => web[0].markdown && web[0].url,
    },
    {
      client: 'firecrawl-aisdk',
      what: 'scrape',
      call: () => scrape(options).execute({ url: PAGE, formats: ['markdown'], onlyMainContent: true }, {}),
      shown: ({ markdown, metadata }) => markdown && metadata.sourceURL,
    },
  ];
}
