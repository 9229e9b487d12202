import { FirecrawlClient } from '@mendable/firecrawl-js';
import { PAGE, QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
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
      call: () => firecrawl.scrape(PAGE, { formats: ['markdown'] }),
      shown: ({ markdown, metadata }) => markdown && metadata.sourceURL,
    },
  ];
}
