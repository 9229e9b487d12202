import { QUERY } from '../row.mjs';

/** @type {import('../row.mjs').Rows} */
export function rows({ base, apiKey }) {
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
